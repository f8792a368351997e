// The board's filters: which cards are shown, and an address that says so.
//
// The part of the address behind # is either a card's own, or the state of the filters:
// #library=OpenDP&verdict=loose&text=sum. Nothing is fetched, so it works from a file.
(() => {
  "use strict";

  const { counted, say: told } = Stage;
  const form = document.querySelector("form.board");
  if (!form) return;
  const status = form.querySelector("[role=status]");
  const SELECTS = ["library", "verdict", "relation", "cause"];
  const NAMES = [...SELECTS, "text"];
  const plain = (text) => text.toLowerCase().replace(/\s+/g, " ");

  // A program is long, and says little of its claim: the text of a card is all but that.
  const said = (card) => [...card.children]
    .filter((part) => !part.classList.contains("program"))
    .map((part) => part.textContent).join(" ");

  const claims = [...document.querySelectorAll(".claim")].map((card) => ({
    card, text: plain(`${said(card)} ${card.dataset.library} ${card.id}`),
  }));
  const groups = [...document.querySelectorAll(".claims, .verdict-section")];
  const field = (name) => form.elements[name];

  const fits = ({ card, text }) =>
    SELECTS.every((name) => !field(name).value || field(name).value === card.dataset[name])
    && plain(field("text").value).split(" ").every((word) => text.includes(word));

  function show() {
    let fitting = 0;
    for (const claim of claims) {
      claim.card.hidden = !fits(claim);
      if (!claim.card.hidden) fitting += 1;
    }
    hideEmptyGroups();
    say(`${fitting < claims.length ? `${fitting.toLocaleString("en")} of ` : ""}${counted(claims.length, "claim")}`);
  }

  function clear() {
    form.reset();
    show();
  }

  function hideEmptyGroups() {
    for (const group of groups) group.hidden = !group.querySelector(".claim:not([hidden])");
  }

  const say = (words) => told(status, words);

  // ---- The address ----

  function stored() {
    const kept = new URLSearchParams();
    for (const name of NAMES) if (field(name).value.trim()) kept.set(name, field(name).value.trim());
    return kept.toString();
  }

  function write() {
    try {
      history.replaceState(null, "", `${location.pathname}${location.search}${stored() ? "#" : ""}${stored()}`);
    } catch { /* a browser may keep the address of a file as it is */ }
  }

  // Another anchor, such as that of a heading, says nothing about the filters.
  function read() {
    const hash = location.hash.slice(1), target = document.getElementById(hash);
    if (target?.matches(".claim, .verdict-section")) return reveal(target);
    if (hash && !hash.includes("=")) return undefined;
    const kept = new URLSearchParams(hash);
    for (const name of NAMES) field(name).value = kept.get(name) ?? "";
    for (const name of SELECTS) if (field(name).selectedIndex < 0) field(name).value = "";
    return show();
  }

  // A card that is linked to is seen, whatever the filters say; so is a section.
  function reveal(target) {
    if (target.matches(".verdict-section[hidden]")) clear();
    if (target.matches(".claim")) {
      if (target.hidden) say(`${status.textContent}, and the one linked to`);
      target.hidden = false;
      hideEmptyGroups();
      if (target.matches("details")) target.open = true;
    }
    target.scrollIntoView();
  }

  form.addEventListener("input", () => { show(); write(); });
  form.querySelector("button").addEventListener("click", () => { clear(); write(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", read);
  form.hidden = false;
  show();
  read();
})();
