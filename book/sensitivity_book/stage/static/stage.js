// The stage on which everything is played that a reader pulls: dots, tents, explorers. Fields, cells and the board share it.
//
// A page holds a play as a finished picture with its sentence, which Python wrote (sensitivity_book/stage). The
// play's own script says what becomes of a pull. Here is what all share: how a number is written, a part of
// the picture placed, held and moved by keys, how Python is asked, and how the picture comes alive.
(() => {
  "use strict";

  const PATIENCE = 300;  // ms until what is computed is called so

  // ---- Numbers, as sensitivity_book/stage/words.py writes them; a fraction is [above, below] ----

  const digits = (number) => String(Number(number.toPrecision(3))).replace(/^-/, "−");
  const percent = (share) => share > 0.999 ? "over 99.9\u00a0%" : share < 0.001 ? "under 0.1\u00a0%" : `${digits(100 * share)}\u00a0%`;
  const gcd = (a, b) => b ? gcd(b, a % b) : a < 0 ? -a : a;
  const reduced = ([a, b]) => [a / gcd(a, b), b / gcd(a, b)];
  const isShort = ([, b]) => 100 % b === 0;  // ends after two decimals
  const decimals = ([a, b]) => {
    const hundredths = Math.floor((200 * a + b) / (2 * b)) / 100;
    return isShort([a, b]) ? String(hundredths) : hundredths.toFixed(2);
  };
  const text = (fraction) => {
    const [a, b] = reduced(fraction);
    return isShort([a, b]) ? decimals([a, b]) : `${a}/${b}\u00a0≈\u00a0${decimals([a, b])}`;
  };
  const listed = (words) => words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
  const counted = (number, what) => `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;

  // ---- Queries: from numbers to a fraction ----

  const compare = ([a, b], [c, d]) => a * d - c * b;
  const apart = ([a, b], [c, d]) => reduced([Math.abs(a * d - c * b), b * d]);
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
  const QUERIES = {
    mean: (numbers) => reduced([sum(numbers), numbers.length]),
    median: (numbers) => reduced([sum([Math.floor, Math.ceil].map((side) => sorted(numbers)[side((numbers.length - 1) / 2)])), 2]),
    sum: (numbers) => [sum(numbers), 1],
    minimum: (numbers) => [Math.min(...numbers), 1],
    maximum: (numbers) => [Math.max(...numbers), 1],
    count: (numbers) => [numbers.length, 1],
  };

  // A number drawn from Laplace noise of scale 1. For looking at only: to hide people takes a sampler made for it.
  function laplace() {
    const side = Math.random() - 0.5;
    return -Math.sign(side) * Math.log(1 - 2 * Math.abs(side));
  }

  // ---- Pieces of a page ----

  function make(tag, properties = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name in node) node[name] = value;
      else node.setAttribute(name, value);
    }
    node.append(...children);
    return node;
  }

  const say = (node, words) => { if (node.textContent !== words) node.textContent = words; };  // a screen reader speaks what changes

  // ---- Where things stand: the numbers of a part are its style's variables, in percent of the line ----

  function place(part, numbers) {
    for (const [name, number] of Object.entries(numbers)) part.style.setProperty(`--${name}`, number);
    return part;
  }

  // A line from `low` to `high`, drawn as wide as `part`.
  function axis(low, high, part) {
    const within = (x) => Math.min(Math.max(x, low), high);
    const at = (x) => (x - low) / (high - low) * 100;
    return {
      at,
      end: (x) => at(within(x)),
      valueAt(clientX) {
        const { left, width } = part.getBoundingClientRect();
        return low + (clientX - left) / width * (high - low);
      },
    };
  }

  // ---- Hands ----

  // A part is held by mouse or finger. What `take` returns of the first touch comes back with every pull.
  function held(part, { take = () => true, pull, drop = () => {} }) {
    let grip = null;
    part.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      event.stopPropagation();
      grip = take(event);
      part.classList.add("held");
      part.setPointerCapture(event.pointerId);
    });
    part.addEventListener("pointermove", (event) => { if (grip !== null) pull(event, grip); });
    for (const end of ["pointerup", "pointercancel"]) {
      part.addEventListener(end, (event) => {
        const last = grip;
        grip = null;
        part.classList.remove("held");
        if (last !== null) drop(event, last);
      });
    }
  }

  // A part that is held, and moved by keys: `go` hears where a key leads from `here`, if it leads anywhere, and
  // returns false of a key that is not its own.
  function knob(part, { here, ends: [first, last], leap = 10, go, ...hands }) {
    held(part, hands);
    part.addEventListener("keydown", (event) => {
      const at = here();
      const to = {
        ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1,
        PageDown: at - leap, PageUp: at + leap, Home: first, End: last,
      }[event.key];
      if (go(to, event.key) !== false) event.preventDefault();
    });
  }

  // ---- Python is asked: what takes it long has a line that says how it goes on, and a button that ends it ----

  async function ask(name, argument, { line, stop, back, news = "" }) {
    const tell = (words) => { news = words; if (!stop.hidden) say(line, words); };
    const late = setTimeout(() => { stop.hidden = false; tell(news); }, PATIENCE);
    say(line, "");
    try {
      return await window.live.call(name, argument, tell);
    } finally {
      clearTimeout(late);
      say(line, "");
      if (document.activeElement === stop) back.focus({ preventScroll: true });  // a hidden button does not keep the focus
      stop.hidden = true;
    }
  }

  // ---- A play on its page, and in what a cell shows when it is run there ----

  // The deferred scripts are all there when the page is read; a notebook shows what it has at once.
  function everywhere(css, start) {
    const begin = () => document.querySelectorAll(css).forEach(start);
    if (document.readyState === "complete") begin();
    else addEventListener("DOMContentLoaded", begin);
  }

  // A cell's stored output stays in the page, hidden: what takes its place has ids of its own.
  let runs = 0;
  function nameApart(root) {
    runs += 1;
    for (const node of [root, ...root.querySelectorAll("[id]")]) if (!node.closest("svg")) node.id += `-run-${runs}`;
    for (const node of root.querySelectorAll("[for]")) node.setAttribute("for", `${node.getAttribute("for")}-run-${runs}`);
  }

  // `bring` makes one picture alive, by what finds its parts, and returns what its buttons do and who hears its dial;
  // then the controls, dead until now, wake up.
  function play(css, bring) {
    async function start(root) {
      if (root.dataset.live) return;
      root.dataset.live = "yes";
      const find = (part) => root.querySelector(part), each = (part) => [...root.querySelectorAll(part)];
      const told = (big, what, sentence) => {
        find(".big b").textContent = big;
        find(".big span").textContent = ` ${what}`;
        find(".sentence").textContent = sentence;
      };
      const turn = (value, shown, spoken) => {
        find("[type=range]").value = value;
        find("[type=range]").setAttribute("aria-valuetext", spoken);
        find(".dial output").textContent = shown;
      };
      const { actions, dialled } = await bring({ root, find, each, say: told, turn }) ?? {};
      for (const button of each("[data-action]")) button.addEventListener("click", () => actions[button.dataset.action]());
      find(".dial input")?.addEventListener("input", ({ target }) => dialled(Number(target.value)));
      for (const control of each("button, input, select")) control.disabled = false;
      for (const part of each("[aria-disabled]")) {
        part.tabIndex = 0;
        part.removeAttribute("aria-disabled");
      }
    }
    everywhere(css, start);
    document.addEventListener("live:shown", ({ target }) => {
      for (const root of target.querySelectorAll(`${css}:not([data-live])`)) {
        nameApart(root);
        start(root);
      }
    });
    return start;
  }

  globalThis.Stage = { QUERIES, compare, apart, sum, sorted, digits, percent, reduced, decimals, text, listed, counted, laplace, make, say, place, axis, held, knob, ask, everywhere, play };
})();
