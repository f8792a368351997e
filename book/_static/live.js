// Python in the page.  `live` is there where it can run: nothing is loaded before the first call.
//
//   live.call("package.module:function", argument, told)   the function's answer, both JSON
//   live.run(cell, sources, told, hear)                     runs a cell and what it needs; `hear` gets what it shows
//   live.stop()                                             ends Python, also in an endless loop
//
// `told` gets a line of progress while Python starts.  A page that was opened from a file may not fetch, but it
// may load scripts: each of the files in live/ is one, `liveFile(name, packed, base64)`.
(() => {
  "use strict";
  const folder = new URL("live/", document.currentScript.src).href;
  const store = document.getElementById("live-files");  // not "live": a page has its ids as names of `window`
  if (!store || !window.Worker || !window.WebAssembly || !window.DecompressionStream) return;
  const { files, packages } = JSON.parse(store.textContent);  // {name: bytes}, [name]

  const PAUSE = 2000;  // ms between two lines of progress, which a screen reader speaks
  const arrived = {}, pending = new Map();
  let worker = null, starting = null, abandon = null, count = 0;

  window.liveFile = (name, packed, text) => { arrived[name] = { packed, text }; };

  const bytes = (text) => Uint8Array.fromBase64 ? Uint8Array.fromBase64(text)
    : Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  const unpacked = async (content) => new Uint8Array(
    await new Response(new Blob([content]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());

  const script = (name) => new Promise((resolve, reject) => {
    const node = document.createElement("script");
    node.src = `${folder}${encodeURIComponent(name)}.js`;
    node.onload = () => { node.remove(); resolve(); };
    node.onerror = () => { node.remove(); reject(new Error(`${name} is missing`)); };
    document.head.append(node);
  });

  async function load(name) {
    await script(name);
    const { packed, text } = arrived[name];
    delete arrived[name];
    return packed ? unpacked(bytes(text)) : bytes(text);
  }

  async function loadAll(told) {
    const names = Object.keys(files), held = {};
    const all = names.reduce((sum, name) => sum + files[name], 0);
    let here = 0, last = performance.now();
    const megabytes = (size) => Math.round(size / 1e6);
    told(`Loading Python, ${megabytes(all)} MB, once for this page. Nothing that you type leaves this computer.`);
    await Promise.all(names.map(async (name) => {
      held[name] = await load(name);
      here += files[name];
      if (performance.now() - last < PAUSE) return;
      last = performance.now();
      told(`Loading Python, ${megabytes(here)} of ${megabytes(all)} MB. Nothing that you type leaves this computer.`);
    }));
    return held;
  }

  async function start(told, isOver) {
    const held = await loadAll(told);
    if (isOver()) return;
    const scripts = ["pyodide.js", "duckdb.js", "duck.js", "worker.js"].filter((name) => held[name]);
    const code = scripts.flatMap((name) => [held[name], "\n"]);
    for (const name of scripts) delete held[name];
    told("Starting Python in this page, once: some ten seconds, more if the computer is busy.");
    const address = URL.createObjectURL(new Blob(code, { type: "text/javascript" }));
    const begun = new Worker(address);
    begun.onmessage = ({ data }) => receive(data);
    begun.onerror = (event) => stop(`Python ended: ${event.message || "there may be too little memory"}.`);
    worker = begun;
    await post({ kind: "start", files: held, packages }, Object.values(held).map((content) => content.buffer));
    URL.revokeObjectURL(address);
  }

  // One start serves all who ask meanwhile; a stop makes it void.
  function ready(told) {
    if (starting) return starting;
    let over = false;
    const stopped = new Promise((_, reject) => { abandon = reject; });
    const mine = Promise.race([stopped, start((words) => { if (!over) told(words); }, () => over)]);
    starting = mine;
    mine.catch(() => {
      over = true;  // what is still on its way says no more
      if (starting === mine) { worker?.terminate(); worker = starting = null; }
    });
    return mine;
  }

  function post(message, transfer = [], hear = () => {}) {
    const id = ++count;
    return new Promise((resolve, reject) => {
      pending.set(id, { resolve, reject, hear });
      worker.postMessage({ id, ...message }, transfer);
    });
  }

  function receive({ id, done, value, error, message }) {
    const request = pending.get(id);
    if (!request) return;
    if (!done) { request.hear(message); return; }
    pending.delete(id);
    if (error === undefined) request.resolve(value);
    else request.reject(new Error(error));
  }

  function stop(why = "Stopped.") {
    worker?.terminate();
    worker = starting = null;
    abandon?.(new Error(why));
    const requests = [...pending.values()];
    pending.clear();
    for (const { reject } of requests) reject(new Error(why));
    document.dispatchEvent(new CustomEvent("live:ended"));
  }

  async function ask(message, told = () => {}, hear) {
    const fresh = !starting, mine = ready(told);
    if (!fresh) told("Waiting for Python.");
    try { await mine; } catch (error) {
      throw error.message === "Stopped." ? error : new Error(`Python did not start: ${error.message}.`);
    }
    if (starting !== mine) throw new Error("Stopped.");
    told("Running.");
    return post(message, [], hear);
  }

  window.live = {
    call: (name, argument = null, told) => ask({ kind: "call", name, argument }, told),
    run: (target, sources, told, hear) => ask({ kind: "run", target, sources }, told, hear),
    stop,
  };
})();
