// Fields under exercises: what readers type is told right or wrong, with a witness against it.
//
// A number is compared here, exactly, with what the package found when the page was built.  A dataset
// or a function is judged by the package itself, in the Python of the page (`window.live`); where none
// can run the field says where it can be answered.  What was typed stays with the page.
(() => {
  "use strict";

  // ---- Numbers: fractions of BigInts. A decimal knows its last place, and whether it was cut ----

  const size = (n) => n < 0n ? -n : n;
  const minus = (a, b) => ({ n: a.n * b.d - b.n * a.d, d: a.d * b.d });
  const sign = ({ n }) => n > 0n ? 1 : n < 0n ? -1 : 0;
  const fraction = (n, d, more = {}) => ({ n: BigInt(n), d: BigInt(d), places: null, ...more });

  // Understood: 3, −3, 19/6, 3 1/6, 3.1667, 3.16…, 27.2%, 5,040, and the unit behind any of them.
  function read(text, unit = "") {
    const clean = text.trim().replace(/[−–]/g, "-").replace(/^[=≈]\s*/, "").replace(/\s+/g, " ").replace(/ ?\/ ?/, "/");
    const behind = [unit, unit.replace(/s$/, "")].find((one) => one && clean.endsWith(one)) || "";
    const typed = clean.slice(0, clean.length - behind.length).trim();
    const plain = /^[+-]?\d{1,3}(,\d{3})+(\.|$)/.test(typed) ? typed.replace(/,/g, "") : typed;
    const [negative, rest] = [plain.startsWith("-"), plain.replace(/^[+-]/, "")];
    const value = parts(rest);
    return value && value.d !== 0n ? { ...value, n: negative ? -value.n : value.n } : null;
  }

  function parts(text) {
    let found = /^(?:(\d+) )?(\d+)\/(\d+)$/.exec(text);
    if (found) {
      const [, whole, n, d] = found;
      return fraction(BigInt(whole || 0) * BigInt(d) + BigInt(n), d);
    }
    found = /^(\d*)(?:\.(\d+))?(…|\.\.\.)? ?(%)?$/.exec(text);
    if (!found || !(found[1] || found[2])) return null;
    const [, whole, after = "", cut, percent] = found;
    if (!after) return cut ? null : fraction(whole, percent ? 100 : 1);
    const places = after.length + (percent ? 2 : 0);
    const digits = (whole + after).replace(/^0+/, "").length;
    return fraction(whole + after, 10n ** BigInt(places), { places, digits, cut: Boolean(cut) });
  }

  // Within half a unit of the last digit; a number that was cut, "3.16…", lies within a whole one.
  function near(own, right) {
    if (own.places === null) return false;
    const off = minus(right, own), unit = 10n ** BigInt(own.places);
    const within = 2n * size(off.n) * unit <= off.d;
    return within || (own.cut && sign(off) === sign(own) && size(off.n) * unit <= off.d);
  }

  const equal = (own, right) => sign(minus(own, right)) === 0;
  const rounded = (own, right) => near(own, right) && own.digits >= 3;

  // ---- The verdict on a number: "right", "wrong" or, of what cannot be judged yet, "open" ----

  function judge(answer, text) {
    const own = read(text, answer.unit), right = read(answer.right);
    if (!own) return { verdict: "open", words: "Write a number, such as 19/6, 3 1/6 or 3.167." };
    if (rounded(own, right) || (!answer.rounded && equal(own, right))) return { verdict: "right", words: agreed(answer, own, right) };
    if (near(own, right)) return { verdict: "open", words: `Give three digits${answer.rounded ? "" : ", or a fraction"}.` };
    return { verdict: "wrong", words: refuted(answer, own, text.trim()) };
  }

  function agreed(answer, own, right) {
    const top = answer.ladder[answer.ladder.length - 1];
    return [
      equal(own, right) || answer.rounded ? "" : `It is ${answer.right}, rounded.`,
      top ? `${top[1]} No neighbours are further apart.` : "",
      answer.why,
    ].filter(Boolean).join(" ");
  }

  function refuted(answer, own, typed) {
    const slip = answer.slips.find(([wrong]) => { const one = read(wrong); return equal(own, one) || rounded(own, one); });
    const above = answer.ladder.find(([gap]) => sign(minus(own, read(gap))) < 0);
    const witness = above ? `Two neighbours are further apart: ${above[1]}`
      : answer.ladder.length ? `No two neighbours are ${typed} apart: that is too much.` : "";
    return [slip ? slip[1] : "", witness].filter(Boolean).join(" ") || "It is another number. The hint may help.";
  }

  // ---- What was typed stays with the page, where the browser lets it ----

  const key = (root) => `${root.id} ${location.pathname}`;

  function keep(root, what) {
    try { localStorage.setItem(key(root), JSON.stringify(what)); } catch { /* a page from a file may be refused */ }
  }

  function kept(root) {
    try { return JSON.parse(localStorage.getItem(key(root))) || {}; } catch { return {}; }
  }

  // ---- A field on its page ----

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  const PLAIN = { autocomplete: "off", autocapitalize: "off", spellcheck: "false" };

  function control(answer, id, label) {
    const lines = (answer.start || "").split("\n").length + 3;
    const field = answer.kind === "function" ? make("textarea", { id, rows: lines, ...PLAIN })
      : make("input", { id, type: "text", ...PLAIN });
    if (answer.start) field.value = answer.start;
    return [make("label", { for: id }, label), field];
  }

  const OPENINGS = { right: "✓ Right.", wrong: "✗ Not yet.", open: "" };

  function show(status, verdict, words) {
    status.dataset.verdict = verdict;
    status.replaceChildren(make("b", {}, OPENINGS[verdict]), ` ${words}`);
  }

  function start(root) {
    if (root.childElementCount) return;
    const answer = JSON.parse(root.dataset.answer), name = root.id.replace("answer-", "");
    root.hidden = false;
    if (answer.kind === "number" || window.live) root.append(...form(root, answer, name));
    else root.append(make("p", {}, "Python checks this answer, and cannot run in this page. In JupyterLab (", make("code", {}, "make lab"), ") put this into a cell:"), make("pre", { tabindex: "0" }, answer.elsewhere));
  }

  function form(root, answer, name) {
    const controls = answer.fields.map((label, i) => control(answer, `${root.id}-${i}`, label));
    const fields = controls.map(([, field]) => field);
    const button = make("button", { type: "submit" }, "Check"), stop = make("button", { type: "button", hidden: "" }, "Stop");
    const status = make("p", { role: "status" }), progress = make("p", { class: "progress", hidden: "" });
    const own = make("form", { class: answer.kind }, ...controls.map((pair) => make("div", {}, ...pair)), make("div", { class: "buttons" }, button, stop));
    const before = kept(root);
    (before.typed || []).forEach((text, i) => { if (fields[i]) fields[i].value = text; });
    const old = before.verdict && answer.kind === "number" ? judge(answer, before.typed[0]) : before;
    if (old.verdict) show(status, old.verdict, old.words);

    const told = (verdict, words) => {
      show(status, verdict, words);
      keep(root, { typed: fields.map((field) => field.value), verdict, words });
    };
    own.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = fields.map((field) => field.value).join("\n");
      if (!text.trim()) show(status, "open", "Write your answer first.");
      else if (answer.kind !== "number") ask(name, text, { status, progress, button, stop, field: fields[0], told });
      else { const { verdict, words } = judge(answer, text); told(verdict, words); }
    });
    own.addEventListener("input", () => {  // another answer has no verdict yet
      if (!stop.hidden) return;
      status.replaceChildren();
      delete status.dataset.verdict;
      keep(root, { typed: fields.map((field) => field.value) });
    });
    own.addEventListener("keydown", (event) => {  // in a function Enter begins a line
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) own.requestSubmit(button);
    });
    stop.addEventListener("click", () => window.live.stop());
    return [own, status, progress];
  }

  // What Python says while it starts is seen, and not read aloud line by line.
  async function ask(name, text, { status, progress, button, stop, field, told }) {
    button.disabled = true;
    stop.hidden = false;
    show(status, "open", "Checking …");
    try {
      const { right, words } = await window.live.call("sensitivity_book.answers.check:check", { name, text }, (line) => {
        progress.hidden = false;
        progress.textContent = line;
      });
      told(right ? "right" : "wrong", words);
    } catch (error) {
      show(status, "open", error.message);
    }
    progress.hidden = true;
    button.disabled = false;
    if (document.activeElement === stop) field.focus();
    stop.hidden = true;
  }

  globalThis.Answers = { read, near, judge };
  const begin = () => document.querySelectorAll(".answer").forEach(start);
  if (document.readyState === "complete") begin();
  else addEventListener("DOMContentLoaded", begin);  // after the deferred script that brings `live`
})();
