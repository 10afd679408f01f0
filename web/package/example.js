import { loadCairn } from './cairn.js'; // 'cairn-physics' where it is installed as a package

const cairn = await loadCairn();
const world = cairn.createWorld({ gravity: [0, -9.81, 0] });

world.createBody({ type: 'static', position: [0, -1, 0], shapes: [{ type: 'box', halfExtents: [10, 1, 10] }] });
const box = world.createBody({
  type: 'dynamic',
  position: [0, 3, 0],
  shapes: [{ type: 'box', halfExtents: [0.5, 0.5, 0.5], friction: 0.6 }],
});

for (let step = 0; step < 120; step++) world.step(1 / 60);

// Eight numbers per body: x, y, z, awake, and the rotation x, y, z, w. A view on the engine's memory, not a copy.
const { transforms } = world;
console.log(`The box is at ${transforms[8 * box.slot + 1].toFixed(3)} m; the state is ${world.hash()}.`);
