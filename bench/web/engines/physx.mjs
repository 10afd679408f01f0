// PhysX with SIMD; `solver` is 'PGS', its default, or 'TGS'. It takes the mean of two frictions.
import { readFileSync } from 'node:fs';
import { dampingText, installedFile, MOTION, oncePerSize, packageVersion, writeMotion, writePose } from './shared.mjs';

export const name = 'PhysX';
export const version = `physx-js-webidl ${packageVersion('physx-js-webidl')}`;

// The package is built for browsers and refuses to start where it sees Node, so it must not see it while it starts.
async function load() {
  const wasmBinary = readFileSync(installedFile('physx-js-webidl/physx-js-webidl.wasm'));
  const { process } = globalThis;
  globalThis.process = undefined;
  globalThis.window = globalThis;
  try {
    const { default: start } = await import('physx-js-webidl');
    return await start({ wasmBinary });
  } finally {
    globalThis.process = process;
    delete globalThis.window;
  }
}

function makePhysics(px) {
  const foundation = px.CreateFoundation(px.PHYSICS_VERSION, new px.PxDefaultAllocator(), new px.PxDefaultErrorCallback());
  const scale = new px.PxTolerancesScale();
  return { scale, physics: px.CreatePhysics(px.PHYSICS_VERSION, foundation, scale) };
}

function makeScene(px, { physics, scale }, scene, solver) {
  const desc = new px.PxSceneDesc(scale);
  desc.gravity = new px.PxVec3(...scene.gravity);
  desc.cpuDispatcher = px.DefaultCpuDispatcherCreate(0);
  desc.filterShader = px.DefaultFilterShader();
  desc.solverType = px.PxSolverTypeEnum[`e${solver}`];
  return physics.createScene(desc);
}

// Shapes are shared: PhysX counts who refers to them.
function makeShape(px, physics, material, halfExtents) {
  const geometry = new px.PxBoxGeometry(...halfExtents);
  const flags = new px.PxShapeFlags(px.PxShapeFlagEnum.eSIMULATION_SHAPE);
  const shape = physics.createShape(geometry, material, false, flags);
  shape.setSimulationFilterData(new px.PxFilterData(1, 1, 0, 0));
  return shape;
}

function defaultDamping(px, physics) {
  const body = physics.createRigidDynamic(new px.PxTransform(px.PxIDENTITYEnum.PxIdentity));
  const damping = [body.getLinearDamping(), body.getAngularDamping()];
  body.release();
  return dampingText(damping);
}

function addBody(px, physics, world, scene, body, shape) {
  const position = new px.PxVec3(...body.position);
  const rotation = new px.PxQuat(...body.rotation);
  const pose = new px.PxTransform(position, rotation);
  const dynamic = body.type === 'dynamic';
  const made = dynamic ? physics.createRigidDynamic(pose) : physics.createRigidStatic(pose);
  made.attachShape(shape);
  if (dynamic) {
    px.PxRigidBodyExt.prototype.updateMassAndInertia(made, scene.density);
    made.setLinearDamping(0);
    made.setAngularDamping(0);
    made.setSleepThreshold(0);
  }
  world.addActor(made);
  for (const object of [position, rotation, pose]) px.destroy(object);
  return made;
}

export async function create(scene, { solver }) {
  const px = await load();
  const made = makePhysics(px);
  const { physics } = made;
  const world = makeScene(px, made, scene, solver);
  const material = physics.createMaterial(scene.friction, scene.friction, 0);
  const shapeOf = oncePerSize((halfExtents) => makeShape(px, physics, material, halfExtents));
  const all = scene.bodies.map((body) => addBody(px, physics, world, scene, body, shapeOf(body.halfExtents)));
  const bodies = all.filter((_, i) => scene.bodies[i].type === 'dynamic');
  const impulseMode = px.PxForceModeEnum.eIMPULSE;
  return {
    simd: true,
    threads: 1,
    // The binding cannot read the iteration counts back; these are the defaults PhysX documents.
    settings: { solver, 'position iterations': 4, 'velocity iterations': 1, 'default damping': defaultDamping(px, physics) },
    step() {
      world.simulate(scene.dt);
      world.fetchResults(true);
    },
    readPositions(out) {
      bodies.forEach((body, i) => {
        const { p, q } = body.getGlobalPose();
        writePose(out, i, p, q);
      });
    },
    velocities() {
      const out = new Float64Array(bodies.length * MOTION);
      const copy = ({ x, y, z }) => ({ x, y, z }); // the next call may answer in the same place
      bodies.forEach((body, i) => writeMotion(out, i, copy(body.getLinearVelocity()), body.getAngularVelocity()));
      return out;
    },
    push: (i, impulse) => bodies[i].addForce(new px.PxVec3(...impulse), impulseMode),
    twist: (i, impulse) => bodies[i].addTorque(new px.PxVec3(...impulse), impulseMode),
    destroy: () => world.release(),
  };
}
