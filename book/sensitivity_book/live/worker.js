// The Python of a page, in a worker: Pyodide, and one session of cells.
// Its files come by postMessage, since a page that was opened from a file may not fetch.
"use strict";

const NOWHERE = "http://files.invalid/";
const START = `
def begin(send):
    import os, sys
    os.makedirs("/home/reader", exist_ok=True)
    os.chdir("/home/reader")
    from json import dumps
    from sensitivity_book.live.shell import Session, call
    session = Session(lambda message: send(dumps(message)), sys.modules["__main__"])
    return session, call
begin`;

async function start({ files, packages }) {
  self.fetch = async (address) => {
    const name = decodeURIComponent(String(address.url ?? address).split("/").pop());
    if (!files[name]) return new Response("", { status: 404 });
    const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return new Response(files[name], { headers: { "Content-Type": type } });
  };
  const python = await loadPyodide({
    indexURL: NOWHERE, packageBaseUrl: NOWHERE, packages, createPyodideModule,
    lockFileContents: new TextDecoder().decode(files["pyodide-lock.json"]),
    env: { HOME: "/home/reader", MPLBACKEND: "agg" }, stdin: () => null, stdout: () => {}, stderr: () => {},
  });
  python.unpackArchive(files["lab.zip"], "zip", { extractDir: python.runPython("import site; site.getsitepackages()[0]") });
  if (files["duckdb-eh.wasm"]) self.duck = await self.startDuck(duckdb, files);  // of duck.js, on a page that asks DuckDB
  let asked;  // the number of the request that is being answered
  const begin = python.runPython(START);
  const [session, call] = begin((text) => postMessage({ id: asked, message: JSON.parse(text) }));
  begin.destroy();
  for (const name of Object.keys(files)) delete files[name];
  return {
    run({ id, target, sources }) {
      asked = id;
      const given = python.toPy(sources);
      try { return session.run(target, given); } finally { given.destroy(); }
    },
    call({ id, name, argument }) {
      asked = id;
      return JSON.parse(call(name, JSON.stringify(argument)));
    },
  };
}

let started;
onmessage = async ({ data }) => {
  const { id } = data;
  try {
    if (data.kind === "start") started = start(data);
    const python = await started;
    postMessage({ id, done: true, value: data.kind === "start" ? null : python[data.kind](data) });
  } catch (error) {
    const lines = String(error.message ?? error).trim().split("\n");
    postMessage({ id, done: true, error: lines.at(-1) });
  }
};
