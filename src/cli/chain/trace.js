// A chain applied sampler by sampler, with all that is left of the candidates behind each.

/** Whether a draw may still hit it; what is no number counts as -inf. */
const alive = (logit) => logit !== null && logit > -Infinity;

/** The probability that a draw gives a logit now, in double precision; null: it is out. */
function shares(logits) {
  const max = logits.reduce((max, logit) => (alive(logit) && logit > max ? logit : max), -Infinity);
  const weight = (logit) => (alive(logit) ? Math.exp(logit - max) : 0);
  const sum = logits.reduce((sum, logit) => sum + weight(logit), 0);
  return logits.map((logit) => (logit === null ? null : weight(logit) / sum));
}

/** What ordinary tokens spell, as hexadecimal numbers. */
function spellings(tokens, control) {
  const bytes = (text) => [...new TextEncoder().encode(text)];
  const written = (byte) => byte.toString(16).padStart(2, "0");
  const controls = new Set(control);
  const spelling = ({ text, hex }) => hex ?? bytes(text ?? "").map(written).join("");
  const ordinary = tokens.filter(({ id }) => !controls.has(id));
  return new Map(ordinary.map((token) => [token.id, spelling(token)]));
}

/** What a chain starts from, of JSON; what is no finite number is a text there. */
function read(json) {
  const setup = JSON.parse(json);
  const number = (logit) => single(Number(`${logit}`.replace("inf", "Infinity")));
  const logit_bias = setup.settings.logit_bias.map(([id, bias]) => [id, number(bias)]);
  return {
    ...setup,
    settings: { ...setup.settings, logit_bias },
    texts: spellings(setup.tokens, setup.control),
    logits: setup.logits.map((logit) => (logit === null ? null : number(logit))),
  };
}

/** Settings in single precision, as the library has them; a seed is a whole number. */
function rounded(settings) {
  const round = ([name, value]) =>
    typeof value === "number" && name !== "seed" ? [name, single(value)] : [name, value];
  return Object.fromEntries(Object.entries(settings).map(round));
}

/**
 * The steps: each a name, whether settings switch it off, and for each candidate its logit and its
 * share, null where it is out. With them: who cut a candidate (the index of a step), and which one
 * is selected.
 */
function trace(setup) {
  const { chain, tokens, logits: start, allowed } = setup;
  const settings = rounded(setup.settings);
  const steps = [];
  const cutBy = tokens.map(() => null);
  const add = (name, off, logits) => {
    const previous = steps.at(-1);
    if (previous) {
      logits.forEach((logit, i) => {
        const removed = previous.logits[i] !== null && logit === null;
        if (removed || (alive(previous.logits[i]) && !alive(logit))) cutBy[i] ??= steps.length;
      });
    }
    const left = logits.filter(alive).length;
    steps.push({ name, off, left, logits, shares: off ? previous.shares : shares(logits) });
  };
  add("logits", false, start);
  if (allowed) {
    const ids = new Set(allowed);
    add("mask", false, start.map((logit, i) => (ids.has(tokens[i].id) ? logit : null)));
  }
  const masked = steps.at(-1).logits;
  const here = tokens.map((_, i) => i).filter((i) => masked[i] !== null);
  const candidates = new Candidates(here.map((i) => ({ id: tokens[i].id, logit: masked[i] })));
  const places = new Map(tokens.map(({ id }, i) => [id, i]));
  for (const name of chain) {
    const off = samplers[name].off(settings);
    if (!off && candidates.length > 0) samplers[name].apply(candidates, settings, setup);
    const logits = tokens.map(() => null);
    for (const { id, logit } of candidates.data) logits[places.get(id)] = logit;
    add(name, off, logits);
  }
  const { selected } = candidates;
  return { steps, cutBy, selected: selected ? places.get(selected.id) ?? null : null };
}

/** The candidates, the likeliest first. */
function likeliest(logits) {
  const key = (i) => (alive(logits[i]) ? logits[i] : -Infinity);
  // (Infinite ones have no difference.)
  return logits.map((_, i) => i).sort((a, b) => (key(a) === key(b) ? a - b : key(b) - key(a)));
}

/** JSON has no infinities. */
const written = (number) =>
  Number.isFinite(number) ? number : { NaN: "nan", Infinity: "inf", "-Infinity": "-inf" }[number];

/** What `grammask chain --format json` prints. */
function report({ tokens, top }, { steps, cutBy, selected }) {
  const nameOf = ({ name, off }) => (off ? `?${name}` : name);
  const order = likeliest(steps[0].logits);
  const shown = order.filter((i, rank) => rank < top || i === selected);
  const others = order.filter((i, rank) => rank >= top && i !== selected);
  const fate = (step) => {
    if (step === null) return {};
    return steps[step].name === "mask" ? { masked: true } : { cut_by: steps[step].name };
  };
  return {
    steps: steps.map((step) => ({ name: nameOf(step), left: step.left })),
    candidates: shown.map((i) => ({
      ...tokens[i],
      ...fate(cutBy[i]),
      steps: steps.map(({ logits, shares }) =>
        logits[i] === null ? null : { logit: written(logits[i]), p: written(shares[i]) },
      ),
    })),
    others: {
      count: others.length,
      steps: steps.map(({ logits, shares }) => ({
        left: others.filter((i) => alive(logits[i])).length,
        p: written(others.reduce((sum, i) => sum + (shares[i] ?? 0), 0)),
      })),
    },
    selected: selected === null ? null : tokens[selected],
  };
}
