// Numbers as the panel writes them.

/** About four digits, with a unit. */
export function format(value, unit = '') {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(2) : Number(value.toPrecision(4)).toString();
  return unit ? `${text} ${unit}` : text;
}

export function formatVector(vector, unit = '') {
  const parts = vector.map((x) => (Math.abs(x) < 5e-3 ? '0' : x.toFixed(Math.abs(x) < 100 ? 2 : 0)));
  return `${parts.join('  ')}${unit ? ` ${unit}` : ''}`;
}

const SHAPE_WORDS = {
  mesh: ({ mesh }) => `mesh of ${mesh.indices.length / 3} triangles`,
  heightField: ({ heightField }) => `height field of ${heightField.columns} × ${heightField.rows}`,
  compound: ({ parts }) => `compound of ${parts.length}`,
};

/** What a body is made of: equal words are counted. */
export function shapeWords({ shapes }) {
  const counts = new Map();
  for (const shape of shapes) {
    const word = SHAPE_WORDS[shape.type]?.(shape) ?? shape.type;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => (count > 1 ? `${count} × ${word}` : word)).join(', ');
}

/** Replaces the content of a <dl> by [name, text] pairs; pairs without a text are left out. */
export function fillList(list, pairs) {
  const shown = pairs.filter(([, text]) => text !== undefined && text !== null);
  list.replaceChildren(...shown.flatMap(([name, text]) => {
    const term = document.createElement('dt');
    const value = document.createElement('dd');
    term.textContent = name;
    value.textContent = text;
    return [term, value];
  }));
}

export function worldPairs(source, renderMs) {
  const m = source.measures();
  const energy = m.kineticPerKg === undefined ? format(m.kineticEnergy, 'J') : format(m.kineticPerKg, 'J/kg');
  const optional = (name, value, unit) => [name, value === undefined ? undefined : format(value, unit)];
  return [
    ['bodies', String(source.bodies.length)],
    ['awake', format(m.awake)],
    ['contacts', String(m.points)],
    optional('joints', m.joints || undefined),
    optional('solved directly', m.joints ? m.direct : undefined),
    ['kinetic', energy],
    ['overlap', format(1e3 * m.penetration, 'mm')],
    ['residual', Number.isFinite(m.residual) ? format(m.residual) : undefined],
    optional('islands', m.islands),
    optional('asleep', m.sleepingIslands),
    optional('colours', m.colors),
    optional('substeps', m.substeps),
    optional('handed over', m.handedOver),
    optional('missed', m.missed),
    ['step', format(m.stepMs, 'ms')],
    ['picture', format(renderMs, 'ms')],
  ];
}

const MOST_JOINTS = 6;
const NO_BREAK = '\u00a0'; // between a number and its unit

function placeWords(dof, value) {
  return ['x', 'y', 'z'].includes(dof) ? `${value.toFixed(3)} m` : `${((180 * value) / Math.PI).toFixed(1)}°`;
}

// What a joint is called and the body it leads to; where it stands and what it carries, as far as that is known.
function jointPairs(joints = []) {
  const pairs = joints.slice(0, MOST_JOINTS).map(({ word, other, places, force }) => {
    const parts = [...(places ?? []).map(({ dof, value }) => placeWords(dof, value)), ...(force === undefined ? [] : [format(force, 'N')])];
    return [`${word} to ${other < 0 ? 'world' : other}`, parts.map((part) => part.replaceAll(' ', NO_BREAK)).join(', ')];
  });
  return joints.length > MOST_JOINTS ? [...pairs, ['joints', `${joints.length} in all`]] : pairs;
}

export function bodyPairs(n) {
  const still = n.type === 'static'; // has no motion to tell of
  return [
    ['type', n.type],
    ['shapes', n.shapes],
    ['mass', n.mass === undefined || n.mass === null ? undefined : format(n.mass, 'kg')],
    ['place', formatVector(n.position)],
    ['velocity', still ? undefined : n.velocity && formatVector(n.velocity)],
    ['spin', still ? undefined : n.spin && formatVector(n.spin)],
    ['speed', n.speed === undefined ? undefined : format(n.speed, 'm/s')],
    ['awake', still ? undefined : n.awake ? 'yes' : 'no'],
    ['island', n.island === undefined || n.island < 0 ? undefined : String(n.island)],
    ['contacts', n.touching === undefined ? undefined : String(n.touching)],
    ['pressed', n.pressed === undefined ? undefined : format(n.pressed, 'N')],
    ...jointPairs(n.joints),
  ];
}
