// Compiles 0.py, 1.py, … of a folder to bytecode, by the names that manifest.json gives them.
import { pathToFileURL } from "node:url";

const [pyodide, folder] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));
const python = await loadPyodide();
python.FS.mkdirTree("/modules");
python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, "/modules");
python.runPython(`
import json, runpy, sys
sys.argv = ["compile", "/modules"]
runpy.run_path("/modules/compile.py", run_name="__main__")
`);
