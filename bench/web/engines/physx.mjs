// PhysX with SIMD; `solver` is 'PGS', its default, or 'TGS'. It takes the mean of two frictions.
import { readFileSync } from 'node:fs';
import { collides, dampingText, installedFile, MOTION, oncePerForm, packageVersion, writeMotion, writePose } from './shared.mjs';

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

function poseOf(px, position, rotation) {
  const parts = [new px.PxVec3(...position), new px.PxQuat(...rotation)];
  const pose = new px.PxTransform(...parts);
  parts.forEach((part) => px.destroy(part));
  return pose;
}

// Shapes are shared: PhysX counts who refers to them.
function makeShape(px, physics, material, mask, { halfExtents, radius, halfHeight }) {
  const round = halfHeight > 0 ? new px.PxCapsuleGeometry(radius, halfHeight) : undefined;
  const geometry = halfExtents ? new px.PxBoxGeometry(...halfExtents) : (round ?? new px.PxSphereGeometry(radius));
  const flags = new px.PxShapeFlags(px.PxShapeFlagEnum.eSIMULATION_SHAPE);
  const shape = physics.createShape(geometry, material, false, flags);
  if (round) shape.setLocalPose(poseOf(px, [0, 0, 0], [0, 0, Math.SQRT1_2, Math.SQRT1_2])); // its capsules lie along x
  shape.setSimulationFilterData(new px.PxFilterData(1, mask, 0, 0));
  return shape;
}

function defaultDamping(px, physics) {
  const body = physics.createRigidDynamic(new px.PxTransform(px.PxIDENTITYEnum.PxIdentity));
  const damping = [body.getLinearDamping(), body.getAngularDamping()];
  body.release();
  return dampingText(damping);
}

function addBody(px, physics, world, scene, body, shape) {
  const pose = poseOf(px, body.position, body.rotation);
  const dynamic = body.type === 'dynamic';
  const made = dynamic ? physics.createRigidDynamic(pose) : physics.createRigidStatic(pose);
  made.attachShape(shape);
  if (dynamic) {
    px.PxRigidBodyExt.prototype.updateMassAndInertia(made, body.density ?? scene.density);
    made.setLinearDamping(0);
    made.setAngularDamping(0);
    made.setSleepThreshold(0);
  }
  world.addActor(made);
  px.destroy(pose);
  return made;
}

function addJoint(px, physics, bodies, { a, b, anchorA, anchorB }) {
  const frames = [anchorA, anchorB].map((anchor) => poseOf(px, anchor, [0, 0, 0, 1]));
  px.PxTopLevelFunctions.prototype.SphericalJointCreate(physics, bodies[a], frames[0], bodies[b], frames[1]);
  frames.forEach((frame) => px.destroy(frame));
}

export async function create(scene, { solver }) {
  const px = await load();
  const made = makePhysics(px);
  const { physics } = made;
  const world = makeScene(px, made, scene, solver);
  const material = physics.createMaterial(scene.friction, scene.friction, 0);
  const shapeOf = oncePerForm((body) => makeShape(px, physics, material, collides(scene) ? 1 : 0, body));
  const all = scene.bodies.map((body) => addBody(px, physics, world, scene, body, shapeOf(body)));
  scene.joints?.forEach((joint) => addJoint(px, physics, all, joint));
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
