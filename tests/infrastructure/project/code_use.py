"""Use of code: which modules are reached from where programs begin, and which names they use."""

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path


class Module:
    """A module of the project: what it defines, imports and mentions."""

    def __init__(self, path: Path, root: Path) -> None:
        parts = path.relative_to(root).with_suffix("").parts
        self.name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        self.tree = ast.parse(path.read_text())

    @cached_property
    def imports(self) -> set[tuple[str, str | None]]:
        """Modules, each with the name that is imported from it or with none."""
        found: set[tuple[str, str | None]] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                found |= {(alias.name, None) for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found |= {(node.module, alias.name) for alias in node.names}
        return found

    @cached_property
    def defined(self) -> set[str]:
        """The functions, classes and constants of the module itself."""
        found: set[str] = set()
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef):
                found.add(node.name)
            # One that is handed to something when it is defined, as a route is: ``@app.get(...)``.
            elif isinstance(node, ast.FunctionDef):
                if not any(isinstance(one, ast.Call) for one in node.decorator_list):
                    found.add(node.name)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = (name for target in targets for name in ast.walk(target))
                found |= {name.id for name in names if isinstance(name, ast.Name)}
        return found

    @cached_property
    def methods(self) -> set[str]:
        """The methods of its classes, but those that Python itself calls."""
        return {
            node.name
            for owner in ast.walk(self.tree)
            if isinstance(owner, ast.ClassDef)
            for node in owner.body
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("__")
        }

    @cached_property
    def is_command(self) -> bool:
        return "__main__" in ast.dump(self.tree)

    @cached_property
    def attributes(self) -> set[str]:
        """Names that are asked of something: ``reader.page``."""
        return {node.attr for node in ast.walk(self.tree) if isinstance(node, ast.Attribute)}

    @cached_property
    def names(self) -> set[str]:
        """Names that are used within the module, where they are not being defined."""
        return {
            node.id
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }


class Program:
    """All modules in these folders of a project."""

    def __init__(self, root: Path, *folders: str) -> None:
        paths = sorted(path for folder in folders for path in (root / folder).rglob("*.py"))
        # Those of a new app are data.
        made = (Module(path, root) for path in paths if "app_files" not in path.parts)
        self.modules = {module.name: module for module in made}

    def reached(self, beginnings: Iterable[str]) -> set[str]:
        """The modules that are imported from these on, with the packages they are in."""
        found: set[str] = set()
        waiting = list(beginnings)
        while waiting:
            name = waiting.pop()
            if name in found or name not in self.modules:
                continue
            found.add(name)
            waiting.append(name.rpartition(".")[0])
            waiting += self._imported(self.modules[name])
        return found

    def unused(self, used_in: Iterable[str], called: set[str]) -> Iterator[str]:
        """Definitions that no module of `used_in` uses; `called` are those named from outside."""
        modules = [self.modules[name] for name in used_in]
        taken = {imported for module in modules for imported in module.imports}
        asked = {name for module in modules for name in module.attributes}
        for module in modules:
            for name in sorted(module.defined):
                at = f"{module.name}.{name}"
                used = name in module.names or (module.name, name) in taken or at in called
                if not (used or self._asked(module, name, modules) or name.startswith("__")):
                    yield at
            yield from (f"{module.name}: {name}()" for name in sorted(module.methods - asked))

    def _imported(self, module: Module) -> Iterator[str]:
        for source, name in module.imports:
            yield source
            yield f"{source}.{name}"

    def _asked(self, module: Module, name: str, modules: Iterable[Module]) -> bool:
        """Whether it is used by the module's name: ``articles.ACCEPTED``."""
        package, _, own = module.name.rpartition(".")
        return any(
            name in other.attributes
            for other in modules
            if (package, own) in other.imports or (module.name, None) in other.imports
        )
