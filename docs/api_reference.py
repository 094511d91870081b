"""API reference: every exported name with its signature and docstring, from the sources alone."""

import ast
import inspect
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import zip_longest
from textwrap import dedent

from docs.reference_pages import PAGES, Page, Section
from tablewright.pages.markdown import table
from toolchain.paths import ROOT

FOLDER = ROOT / "docs" / "reference"
_WIDTH = 96
# Bases that say how a class is made, and nothing about its use.
_PLUMBING = ("ABC", "Generic", "NamedTuple", "Protocol", "TypedDict")


class Definition:
    """A class, function or constant of a module."""

    def __init__(self, module: "Module", nodes: Sequence[ast.stmt], docstring: str) -> None:
        *self.overloads, self.node = nodes
        self.module = module
        self.docstring = docstring
        body = self.node.body if isinstance(self.node, ast.ClassDef) else ()
        self.inside = definitions(module, body)

    @property
    def base_names(self) -> list[str]:
        given = self.node.bases if isinstance(self.node, ast.ClassDef) else []
        return [ast.unparse(base) for base in given]

    @property
    def bases(self) -> "list[Definition]":
        """The classes of the library that a class is derived from, the nearest first."""
        found = [one for name in self.base_names if (one := self.module.find(name))]
        return [each for one in found for each in (one, *one.bases)]

    @property
    def methods(self) -> "dict[str, Definition]":
        """The public methods and properties of a class itself."""
        return {
            name: one
            for name, one in self.inside.items()
            if isinstance(one.node, ast.FunctionDef) and not name.startswith("_")
        }


class Module:
    """A module of the library: what it defines, and from where it has what it imports."""

    def __init__(self, name: str) -> None:
        path = ROOT / name.replace(".", "/")
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        tree = ast.parse(file.read_text())
        self.imported = {
            alias.asname or alias.name: (node.module or "", alias.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        self.defined = definitions(self, tree.body)

    def find(self, name: str) -> Definition | None:
        """What a name, or a type of that name, stands for here, if that is of the library."""
        first, _, rest = name.partition("[")[0].partition(".")
        source, original = self.imported.get(first, ("", ""))
        if not source.startswith("tablewright."):
            return self.defined.get(first)
        return module(f"{source}.{original}").find(rest) if rest else module(source).find(original)


module = cache(Module)


def definitions(where: Module, body: Sequence[ast.stmt]) -> dict[str, Definition]:
    """What is defined in a body; the docstring of a constant is the text that follows it."""
    found: dict[str, Definition] = {}
    overloads: list[ast.stmt] = []
    for node, following in zip_longest(body, body[1:]):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            found |= definitions(where, node.body)
        if "overload" in _decorators(node):
            overloads.append(node)
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            said = ast.get_docstring(node) or ""
            found[node.name] = Definition(where, [*overloads, node], said)
            overloads = []
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            name = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
            text = following.value if isinstance(following, ast.Expr) else None
            found[name] = Definition(where, [node], inspect.cleandoc(_text_in(text) or ""))
    return found


def _decorators(node: ast.stmt) -> list[str]:
    given = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    return [ast.unparse(one) for one in given]


def _text_in(node: ast.AST | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def entries(section: Section) -> Iterator[tuple[str, Definition]]:
    """Every name of a section and what it stands for."""
    for name in section.names.split():
        found = module(section.package).find(name)
        if found is None:
            raise LookupError(f"{section.package} has no {name}")
        yield name, found


@cache
def _entered() -> set[Definition | None]:
    return {one for page in PAGES for section in page.sections for _, one in entries(section)}


def members(of: Definition) -> dict[str, Definition]:
    """What a class has that no other entry says: its own, and that of bases without an entry."""
    hidden = [base for base in of.bases if base not in _entered()]
    found = {n: one for base in (*reversed(hidden), of) for n, one in base.methods.items()}
    # One without a docstring does what that of its base says.
    said = {n for base in of.bases for n, one in base.methods.items() if one.docstring}
    return {name: one for name, one in found.items() if one.docstring or name not in said}


def signature(name: str, of: Definition) -> str:
    """How a name is used, as it is declared."""
    if isinstance(of.node, ast.ClassDef):
        return _of_class(name, of)
    if not isinstance(of.node, ast.FunctionDef):
        return ast.unparse(of.node)
    decorators = _decorators(of.node)
    if any(one.endswith("property") for one in decorators):
        return f"{name}: {_type(of.node.returns)}"
    bound = "." in name and "staticmethod" not in decorators
    return "\n".join(
        _call(name, _parameters(of.module, one)[bound:], f" -> {_type(one.returns)}")
        for one in of.overloads or [of.node]
        if isinstance(one, ast.FunctionDef)
    )


def _of_class(name: str, of: Definition) -> str:
    subclass = of.inside.get("__init_subclass__")
    if subclass and isinstance(subclass.node, ast.FunctionDef):
        return _call("class Yours", [name, *_parameters(of.module, subclass.node)[1:]])
    bases = [base for base in _bases(of) if not base.startswith(_PLUMBING)]
    head = f"class {name}({', '.join(bases)})" if bases else f"class {name}"
    made = (one.inside.get("__init__") for one in (of, *of.bases))
    init = next((one for one in made if one), None)
    if init and isinstance(init.node, ast.FunctionDef):
        return f"{head}\n\n{_call(name, _parameters(init.module, init.node)[1:])}"
    fields = [one.node for field, one in of.inside.items() if not field.startswith("_")]
    values = [ast.unparse(one) for one in fields if isinstance(one, ast.Assign | ast.AnnAssign)]
    return "\n    ".join((f"{head}:", *values)) if values else head


def _bases(of: Definition) -> Iterator[str]:
    """The bases of a class; in place of one of the library that has no entry, its own."""
    for name in of.base_names:
        own = of.module.find(name)
        yield from _bases(own) if own and own not in _entered() else (name,)


def _parameters(where: Module, node: ast.FunctionDef) -> list[str]:
    given = node.args
    plain = [*given.posonlyargs, *given.args]
    defaults = [*[None] * (len(plain) - len(given.defaults)), *given.defaults]
    parts = [_parameter(where, one, value) for one, value in zip(plain, defaults, strict=True)]
    if given.posonlyargs:
        parts.insert(len(given.posonlyargs), "/")
    if given.vararg or given.kwonlyargs:
        parts.append("*" + (_parameter(where, given.vararg) if given.vararg else ""))
    named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    parts += [_parameter(where, one, value) for one, value in named]
    return [*parts, "**" + _parameter(where, given.kwarg)] if given.kwarg else parts


def _parameter(where: Module, one: ast.arg, default: ast.expr | None = None) -> str:
    named = f"{one.arg}: {_type(one.annotation)}" if one.annotation else one.arg
    return f"{named} = {_value(where, default)}" if default else named


def _value(where: Module, default: ast.expr) -> str:
    """A default as it is written; in place of a constant that has no entry, its value."""
    text = ast.unparse(default)
    found = where.find(text) if isinstance(default, ast.Name) else None
    if found and found not in _entered() and isinstance(found.node, ast.Assign | ast.AnnAssign):
        value = found.node.value
        return ast.unparse(value) if isinstance(value, ast.Constant | ast.Dict) else text
    return text


def _type(node: ast.expr | None) -> str:
    """A type as it is written, without the quotes that keep Python from looking at it."""
    return _text_in(node) or (ast.unparse(node) if node else "None")


def _call(name: str, parts: Sequence[str], ends: str = "") -> str:
    short = f"{name}({', '.join(parts)}){ends}"
    if len(short) <= _WIDTH:
        return short
    return "\n".join((f"{name}(", *(f"    {part}," for part in parts), f"){ends}"))


def _entry(name: str, of: Definition, level: int) -> Iterator[str]:
    yield f"{'#' * level} {name}"
    yield f"```python\n{signature(name, of)}\n```".replace("'", '"')
    yield from map(_block, re.split(r"\n\n(?! {4})", of.docstring))
    for member, one in members(of).items():
        yield from _entry(f"{name}.{member}", one, level + 1)


def _block(text: str) -> str:
    """A paragraph as Markdown: what is indented after a `::` is code, and so is what is typed."""
    if text.startswith(">>>"):
        return f"```python\n{text}\n```"
    says, marked, code = text.partition("::\n\n")
    return f"{says}:\n\n```python\n{dedent(code)}\n```" if marked else text


def text(page: Page) -> str:
    """The Markdown of a page."""
    parts = [f"# {page.title}", page.says]
    for section in page.sections:
        parts += [f"## {section.title}", f"From `{section.package}`."]
        parts += [part for name, one in entries(section) for part in _entry(name, one, 3)]
    return "\n\n".join(part for part in parts if part) + "\n"


def contents() -> str:
    """The Markdown of the page that leads to the others."""
    rows = [
        (f"[{page.title}]({page.name}.md)", ", ".join(one.title.lower() for one in page.sections))
        for page in PAGES
    ]
    says = (
        "Every exported name, with its signature and docstring; `make docs` writes these pages. "
        "How they are used together: the [guide](../guide.md)."
    )
    return "\n\n".join(("# Reference", says, table(("page", "what is on it"), rows))) + "\n"


def pages() -> dict[str, str]:
    """Every page of the reference by the name of its file."""
    return {"README.md": contents(), **{f"{page.name}.md": text(page) for page in PAGES}}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, written in pages().items():
        (FOLDER / name).write_text(written)
