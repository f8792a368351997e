// Fields under exercises: what readers type is told right or wrong, with a witness against it.
//
// A number is compared here, exactly, with what the package found when the page was built.  A dataset on paper is
// looked up among the verdicts that came with the page.  Another dataset, and a function, is judged by the package
// itself, in the Python of the page (`window.live`); where none can run the field says where it can be answered.
// What was typed stays with the page.
(() => {
  "use strict";

  const { QUERIES, reduced, apart, sorted, make, counted, ask, everywhere } = Stage;

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
    const top = answer.ladder.at(-1);
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

  // ---- The verdict on datasets: read and told apart as sensitivity_book/answers/on_paper.py does ----

  const ratio = (pair) => reduced(pair).join("/").replace(/\/1$/, "");
  const written = (records) => `(${records.join(", ")})`;

  // The bound of a clipped sum with the least squared error at ε = 1: how many it clips, and the numbers that are told.
  function bestBound(ages) {
    const squared = (bound) => ages.reduce((lost, age) => lost + Math.max(age - bound, 0), 0) ** 2 + 2 * bound ** 2;
    const bounds = [...Array(ages.at(-1) + 1).keys()];
    const best = bounds.reduce((low, bound) => (squared(bound) < squared(low) ? bound : low));
    const numbers = [ages.filter((age) => age > best).length, best, squared(best), ages[0], squared(ages[0])];
    return numbers.map((one) => one.toLocaleString("en"));
  }

  class Misread extends Error {}

  function datasetOf(answer, line) {
    const typed = line.trim().replace(/^[()[\]{}]+|[()[\]{}]+$/g, "").split(/[,\s]+/).filter(Boolean);
    if (!typed.length) throw new Misread("Write numbers, with commas between them.");
    const all = typed.map((part) => {
      const own = read(part);
      if (!own) throw new Misread(`'${part}' is no number.`);
      return ratio([own.n, own.d]);
    });
    for (const own of all) {
      const at = answer.values.indexOf(Number(own)), there = answer.copies?.[at];
      if (at < 0) throw new Misread(`${own} is not in the universe: ${answer.known}.`);
      const used = all.filter((one) => one === own).length;
      if (used > there) throw new Misread(`Of ${own} there is only ${counted(there, "record")}, and you use ${used}.`);
    }
    return sorted(all.map(Number));
  }

  // How many records leave the first, and how many join, on the way to the second.
  function moved(x, y) {
    const left = [...y];
    const shared = x.filter((one) => left.includes(one) && left.splice(left.indexOf(one), 1)).length;
    return [x.length - shared, y.length - shared];
  }

  // What was typed, told by numbers of these names.
  const tells = (names, datasets) => names.flatMap((name) => {
    if (name === "records") return datasets.map((own) => own.join(" "));
    if (name === "swaps") return [String(moved(...datasets)[0])];
    if (name === "best bound") return bestBound(datasets[0]);
    const answers = datasets.map(QUERIES[name.replace(" moved", "")]);
    return name.endsWith(" moved") ? [ratio(apart(...answers))] : answers.map(ratio);
  });

  function lookUp(answer, lines) {
    try {
      const datasets = lines.map((line) => datasetOf(answer, line)), [first] = datasets;
      if (answer.size && first.length !== answer.size) throw new Misread(`${written(first)} has ${counted(first.length, "record")}, not ${answer.size}.`);
      const [removed, added] = answer.moves ? moved(...datasets) : [];
      if (answer.moves?.every(([r, a]) => r !== removed || a !== added)) throw new Misread(`${datasets.map(written).join(" and ")} are no neighbours: ${answer.neighbours}.`);
      if (datasets.some((own) => !answer.sizes.includes(own.length))) return { verdict: "open", words: `Write ${answer.sizes[0]} to ${answer.sizes.at(-1)} records: so few are enough.` };
      const own = tells(answer.by, datasets), slots = [...own, ...tells(answer.shows, datasets)];
      const [right, words] = answer.words[answer.said[own.join(" | ")] ?? answer.said[own[0]]];
      return { verdict: right ? "right" : "wrong", words: words.replace(/\{(\d)\}/g, (_, i) => slots[i]) };
    } catch (error) {
      if (error instanceof Misread) return { verdict: "wrong", words: error.message };
      throw error;
    }
  }

  const judged = (answer, texts) => answer.kind === "number" ? judge(answer, texts[0]) : lookUp(answer, texts);

  // ---- What was typed stays with the page, where the browser lets it ----

  const key = (root) => `${root.id} ${location.pathname}`;

  function keep(root, what) {
    try { localStorage.setItem(key(root), JSON.stringify(what)); } catch { /* a page from a file may be refused */ }
  }

  function kept(root) {
    try { return JSON.parse(localStorage.getItem(key(root))) || {}; } catch { return {}; }
  }

  // ---- A field on its page ----

  const PLAIN = { autocomplete: "off", autocapitalize: "off", spellcheck: false };

  function control(answer, id, label) {
    const value = answer.start ?? "", rows = value.split("\n").length + 3;
    const field = answer.kind === "function" ? make("textarea", { id, rows, value, ...PLAIN }) : make("input", { id, type: "text", value, ...PLAIN });
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
    if (answer.kind === "number" || answer.said || window.live) root.append(...form(root, answer, name));
    else root.append(make("p", {}, "Python checks this answer, and cannot run in this page. In JupyterLab (", make("code", {}, "make lab"), ") put this into a cell:"), make("pre", { tabindex: "0" }, answer.elsewhere));
  }

  function form(root, answer, name) {
    const controls = answer.fields.map((label, i) => control(answer, `${root.id}-${i}`, label));
    const fields = controls.map(([, field]) => field);
    const button = make("button", { type: "submit" }, "Check"), stop = make("button", { type: "button", hidden: true }, "Stop");
    const status = make("p", { role: "status" }), progress = make("p", { class: "news" });
    const own = make("form", { class: answer.kind }, ...controls.map((pair) => make("div", {}, ...pair)), make("div", { class: "buttons" }, button, stop));
    const before = kept(root);
    (before.typed || []).forEach((text, i) => { if (fields[i]) fields[i].value = text; });
    const isHere = answer.kind === "number" || answer.said;  // no Python is asked
    const old = before.verdict && isHere ? judged(answer, before.typed) : before;
    if (old.verdict) show(status, old.verdict, old.words);

    const told = (verdict, words) => {
      show(status, verdict, words);
      keep(root, { typed: fields.map((field) => field.value), verdict, words });
    };
    own.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = fields.map((field) => field.value).join("\n");
      if (!text.trim()) show(status, "open", "Write your answer first.");
      else if (!isHere) askPython(name, text, { status, button, told, line: progress, stop, back: fields[0] });
      else { const { verdict, words } = judged(answer, text.split("\n")); told(verdict, words); }
    });
    own.addEventListener("input", () => {  // another answer has no verdict yet
      if (button.disabled) return;
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
  async function askPython(name, text, { status, button, told, ...seen }) {
    button.disabled = true;
    seen.stop.hidden = false;
    show(status, "open", "Checking …");
    try {
      const { right, words } = await ask("sensitivity_book.answers.check:check", { name, text }, seen);
      told(right ? "right" : "wrong", words);
    } catch (error) {
      show(status, "open", error.message);
    }
    button.disabled = false;
  }

  globalThis.Answers = { read, near, judge, lookUp };
  everywhere(".answer", start);
})();
