// DuckDB in the worker, beside Python: statements are answered at once, from memory alone.
// `engine` is its own script as a function (see duck_files.py); `files` holds, by name, what it asks for.
"use strict";

const DUCK_ENGINE = "duckdb-eh.wasm";
const DUCK_JSON = "json.duckdb_extension.wasm";
const DUCK_NOWHERE = "http://files.invalid";

// Resolves to what stand_ins/duckdb.py asks; the files may be let go of then.
self.startDuck = async (engine, files) => {
  const answers = [];
  const scope = { location: { href: DUCK_NOWHERE }, postMessage: (message) => answers.push(message) };
  const fetch = async () => new Response(files[DUCK_ENGINE], { headers: { "Content-Type": "application/wasm" } });
  class XMLHttpRequest {  // nothing but the JSON extension is to be had, from nowhere
    open(method, address) { this.wanted = String(address).endsWith(`/${DUCK_JSON}`) && method === "GET"; }
    send() {
      this.status = this.wanted ? 200 : 404;
      this.response = this.wanted ? files[DUCK_JSON].slice().buffer : new ArrayBuffer(0);
    }
    setRequestHeader() {}
    getResponseHeader() { return null; }
  }
  const silent = { log() {}, warn() {}, error() {}, debug() {}, info() {} };  // errors are told by their answers
  engine(scope, scope, silent, XMLHttpRequest, fetch);
  let asked = 0;
  const request = (type, data) => {
    asked += 1;
    answers.length = 0;
    return scope.onmessage({ data: { messageId: asked, type, data } });
  };
  const answered = () => {
    const { type, data } = answers.findLast((answer) => answer.requestId === asked);
    answers.length = 0;
    if (type === "ERROR") throw new Error(data.message);
    return data;
  };
  const ask = (type, data) => { request(type, data); return answered(); };

  await request("INSTANTIATE", [`${DUCK_NOWHERE}/${DUCK_ENGINE}`, null]);
  answered();
  ask("OPEN", { path: ":memory:", query: {} });
  const first = ask("CONNECT", null);
  const settings = [
    `SET custom_extension_repository = '${DUCK_NOWHERE}'`,
    "LOAD json",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET enable_external_access = false",
  ];
  for (const setting of settings) ask("RUN_QUERY", [first, setting]);
  ask("DISCONNECT", first);
  return {
    version: () => ask("GET_VERSION", null),
    connect: () => ask("CONNECT", null),
    disconnect: (connection) => { ask("DISCONNECT", connection); },
    ask: (connection, text) => ask("RUN_QUERY", [connection, text]),
  };
};
