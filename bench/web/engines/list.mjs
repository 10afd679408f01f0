// Who takes part: the name on the command line, the module, what it is created with, and what the table adds to its name.
const ENGINES = {
  cairn: { module: './cairn.mjs', options: { simd: true } },
  'cairn-scalar': { module: './cairn.mjs', options: { simd: false }, remark: 'without SIMD' },
  rapier: { module: './rapier.mjs' },
  havok: { module: './havok.mjs' },
  physx: { module: './physx.mjs', options: { solver: 'PGS' } },
  'physx-tgs': { module: './physx.mjs', options: { solver: 'TGS' }, remark: 'TGS' },
  jolt: { module: './jolt.mjs', options: { multithread: false } },
  'jolt-simd': { module: './jolt.mjs', options: { multithread: true }, remark: 'multithread build, no workers' },
  bullet: { module: './bullet.mjs' },
};

export const engineNames = Object.keys(ENGINES);

/** Name and version for the table, and a way to make a world of a scene. */
export async function loadEngine(id) {
  const { module, options = {}, remark } = ENGINES[id];
  const { name, version, create } = await import(module);
  return { label: remark ? `${name}, ${remark}` : name, version, create: (scene) => create(scene, options) };
}
