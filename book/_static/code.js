// The switch "Code" in the header: it hides the code of all pages, and the browser remembers it.
(() => {
  "use strict";

  const root = document.documentElement;

  const remembered = () => {
    try { return localStorage.getItem("code"); } catch { return null; }  // a browser may keep nothing for files
  };

  const show = (shown, button) => {
    root.classList.toggle("without-code", !shown);
    button?.setAttribute("aria-pressed", String(shown));
  };

  show(remembered() !== "hidden");

  document.addEventListener("DOMContentLoaded", () => {
    const made = { type: "button", className: "btn btn-sm code-switch", textContent: "Code", title: "Show or hide the code" };
    const button = Object.assign(document.createElement("button"), made);
    show(remembered() !== "hidden", button);
    button.addEventListener("click", () => {
      const shown = root.classList.contains("without-code");
      show(shown, button);
      try { localStorage.setItem("code", shown ? "shown" : "hidden"); } catch { /* then it holds for this page alone */ }
    });
    document.querySelector(".article-header-buttons")?.prepend(button);
  });
})();
