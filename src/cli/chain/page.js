// The page: the steps as cards, the candidates of one step as bars, parameters as sliders.

const setup = read(document.getElementById("setup").textContent);
const given = structuredClone(setup.settings);
const order = likeliest(setup.logits);

let current = 0;
let traced = null;

const find = (id) => document.getElementById(id);

/** An element with properties, attributes (what has a dash, and `role`) and children. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
}

/** What a token spells, or else its id. */
function label({ id, text, hex }) {
  if (text !== undefined) return JSON.stringify(text);
  return hex === undefined ? `${id}` : hex.replace(/../g, "\\x$&");
}

/** A probability as people read it; nothing has one where nothing is possible. */
function percent(p) {
  if (p === null) return "";
  return Number.isNaN(p) ? "–" : `${(100 * p).toFixed(p < 0.001 ? 4 : 2)} %`;
}

/** A logit as people read it. */
const short = (logit) =>
  logit === null ? "" : Number.isFinite(logit) ? logit.toFixed(2).replace("-", "−") : `${logit}`;

/** Computes everything anew. */
function recompute() {
  traced = trace(setup);
  find("numbers").textContent = JSON.stringify(report(setup, traced), null, 2);
  showOutcome();
  showSteps();
  showStep();
}

function showOutcome() {
  const { steps, selected } = traced;
  const outcome = find("outcome");
  if (selected === null) return outcome.replaceChildren("nothing is selected");
  const token = make("b", {}, label(setup.tokens[selected]));
  const { left, shares } = steps.at(-1);
  const words = `, ${percent(shares[selected])}, of ${left} left, out of ${setup.tokens.length}`;
  outcome.replaceChildren("selected: ", token, words);
}

/** The likeliest candidates of a step as thin bars. */
function miniature({ shares }) {
  const [many, height] = [60, 24];
  const drawn = order.slice(0, many);
  const max = drawn.reduce((max, i) => Math.max(max, shares[i] || 0), 1e-300);
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", `0 0 ${Math.max(drawn.length, 12)} ${height}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const add = (wanted, kind) => {
    const lines = drawn.map((i, x) =>
      wanted(i) && shares[i] > 0 ? `M${x + 0.5} ${height}v${-(height * shares[i]) / max}` : "",
    );
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", lines.join(""));
    path.setAttribute("class", kind);
    svg.append(path);
  };
  add((i) => i !== traced.selected, "");
  add((i) => i === traced.selected, "chosen");
  return svg;
}

function showSteps() {
  const focused = find("steps").contains(document.activeElement);
  const cards = traced.steps.map((step, index) => {
    const words = step.off ? "off" : `${step.left} left`;
    const button = make(
      "button",
      { type: "button", className: step.off ? "off" : "", onclick: () => goTo(index) },
      miniature(step),
      step.name,
      make("small", {}, words),
    );
    return make("li", {}, button);
  });
  find("steps").replaceChildren(...cards);
  markStep();
  if (focused) cards[current].firstChild.focus();
}

function markStep() {
  [...find("steps").children].forEach(({ firstChild: button }, index) => {
    if (index === current) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  });
  for (const group of find("groups").children) {
    group.classList.toggle("current", group.dataset.step === traced.steps[current].name);
  }
}

function goTo(step) {
  current = Math.min(Math.max(step, 0), traced.steps.length - 1);
  markStep();
  showStep();
  find("steps").children[current].scrollIntoView({ block: "nearest", inline: "nearest" });
}

function showStep() {
  const { steps } = traced;
  const step = steps[current];
  const lost = current > 0 ? steps[current - 1].left - step.left : 0;
  const cut = lost > 0 ? `${lost} cut, ` : "";
  const effect = step.off ? "Switched off." : `${cut}${step.left} left.`;
  find("step").textContent = step.name;
  find("words").textContent = `${explanations[step.name].words} ${effect}`;
  find("back").disabled = current === 0;
  find("next").disabled = current === steps.length - 1;
  showRows();
}

// Of many candidates only the rows in sight are made.

const rowHeight = 26;
const rows = new Map();

function makeRow(place) {
  const bar = (className) => make("i", { className });
  const row = make(
    "div",
    { role: "row", "aria-rowindex": place + 2 },
    make("span", { role: "cell", className: "token" }, label(setup.tokens[order[place]])),
    make("span", { role: "cell", className: "track" }, bar("was"), bar("now")),
    make("span", { role: "cell", className: "number" }),
    make("span", { role: "cell", className: "number" }),
    make("span", { role: "cell", className: "fate" }),
  );
  row.style.top = `${place * rowHeight}px`;
  return row;
}

function showRows() {
  const bars = find("bars");
  const [top, bottom] = [bars.scrollTop, bars.scrollTop + bars.clientHeight];
  const first = Math.max(Math.floor(top / rowHeight) - 10, 0);
  const last = Math.min(Math.ceil(bottom / rowHeight) + 10, order.length);
  for (const [place, row] of rows) {
    if (place >= first && place < last) continue;
    row.remove();
    rows.delete(place);
  }
  const { shares } = traced.steps[current];
  const before = traced.steps[Math.max(current - 1, 0)].shares;
  // The longest bar, of now and of before, is as wide as there is room.
  const longest = order.reduce((max, i) => Math.max(max, shares[i] || 0, before[i] || 0), 1e-300);
  for (let place = first; place < last; place++) {
    if (!rows.has(place)) {
      rows.set(place, makeRow(place));
      find("rows").append(rows.get(place));
    }
    fillRow(rows.get(place), order[place], longest);
  }
}

function fillRow(row, i, longest) {
  const { steps, cutBy, selected } = traced;
  const step = steps[current];
  const before = steps[Math.max(current - 1, 0)].shares[i];
  const [, track, p, logit, fate] = row.children;
  const cut = cutBy[i] !== null && cutBy[i] <= current;
  const masked = cut && steps[cutBy[i]].name === "mask";
  const drawn = i === selected && current === steps.length - 1;
  // A masked token keeps its first bar, hatched.
  const was = masked ? steps[0].shares[i] : before;
  track.firstChild.style.transform = `scaleX(${Math.min((was || 0) / longest, 1)})`;
  track.lastChild.style.transform = `scaleX(${(cut ? 0 : step.shares[i] || 0) / longest})`;
  p.textContent = percent(step.shares[i]);
  logit.textContent = short(step.logits[i]);
  const chosen = i === selected;
  const out = masked ? "masked" : cut ? `cut by ${steps[cutBy[i]].name}` : "";
  fate.textContent = drawn ? "● selected" : chosen ? `● ${out}` : out;
  const gone = !alive(step.logits[i]);
  const classes = { gone, cut: cut && cutBy[i] === current, masked, chosen, drawn };
  row.className = ["row", ...Object.keys(classes).filter((name) => classes[name])].join(" ");
}

// The sliders.

let waiting = false;

function change(name, value) {
  setup.settings[name] = value;
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    recompute();
  });
}

function makeSlider([name, words, low, high, step]) {
  const value = setup.settings[name];
  const [min, max] = [Math.min(low, value), Math.max(high, value)];
  const range = make("input", { type: "range", name, step, min, max, value });
  range.setAttribute("aria-label", words);
  const number = make("input", { type: "number", name, step: "any", min, value });
  const set = (from, to) => {
    if (from.value === "" || !from.validity.valid) return;
    to.value = from.value;
    change(name, Number(from.value));
  };
  range.oninput = () => set(range, number);
  number.oninput = () => set(number, range);
  return make("label", {}, words, number, range);
}

function showSliders() {
  const groups = traced.steps
    .map(({ name }) => [name, explanations[name].parameters])
    .filter(([, parameters]) => parameters.length > 0)
    .map(([name, parameters]) => {
      const group = make("fieldset", {}, make("legend", {}, name), ...parameters.map(makeSlider));
      group.dataset.step = name;
      return group;
    });
  find("groups").replaceChildren(...groups);
  markStep();
}

find("restore").onclick = () => {
  setup.settings = structuredClone(given);
  recompute();
  showSliders();
};
find("back").onclick = () => goTo(current - 1);
find("next").onclick = () => goTo(current + 1);
find("bars").onscroll = showRows;
addEventListener("resize", showRows);
addEventListener("keydown", (event) => {
  if (event.target instanceof HTMLInputElement) return;
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const moves = { ArrowLeft: current - 1, ArrowRight: current + 1 };
  if (!(event.key in moves)) return;
  event.preventDefault();
  goTo(moves[event.key]);
});
find("parameters").onsubmit = (event) => event.preventDefault();
find("bars").setAttribute("aria-rowcount", order.length + 1);
find("rows").style.height = `${order.length * rowHeight}px`;
recompute();
showSliders();
