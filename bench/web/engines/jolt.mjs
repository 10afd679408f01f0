// Jolt. `multithread` takes the build for several threads, the only one with SIMD, and lets it work alone.
// It takes the geometric mean of two frictions. Its memory is fixed at 128 MB.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bodyMass, collides, dampingText, installedFile, MOTION, oncePerForm, packageVersion, POSE } from './shared.mjs';

export const name = 'Jolt';
export const version = packageVersion('jolt-physics');

// More does not fit the 10 MB of scratch memory of this build, with which a step then aborts. Contacts beyond the limit are
// dropped without a word, and bodies sink into each other: the table tells how many were lost.
const MOST_CONTACTS = 19500;

const FIXED = 0;
const MOVING = 1;

// Under Node the workers of this build never learn that they are workers, because an `await` binds to the wrong thing, and
// the main thread waits for them for ever. A corrected copy is started instead.
async function loadMultithread() {
  const file = 'jolt-physics.multithread.wasm-compat.js'; // its workers look for themselves by this name
  const source = readFileSync(installedFile(`jolt-physics/dist/${file}`), 'utf8');
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-jolt-'));
  const copy = join(folder, file);
  const imported = 'await import("node:worker_threads")';
  writeFileSync(copy, source.replace(`${imported}.workerData`, `(${imported}).workerData`));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  try {
    return await (await import(pathToFileURL(copy))).default();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function loadDefault() {
  return (await import('jolt-physics/wasm-compat')).default();
}

function makeInterface(jolt, scene) {
  const settings = new jolt.JoltSettings();
  settings.mMaxWorkerThreads = 0;
  settings.mMaxContactConstraints = MOST_CONTACTS;
  settings.mMaxBodies = Math.max(settings.mMaxBodies, scene.bodies.length);
  const pairs = new jolt.ObjectLayerPairFilterTable(2);
  if (collides(scene)) {
    pairs.EnableCollision(FIXED, MOVING);
    pairs.EnableCollision(MOVING, MOVING);
  }
  const layers = new jolt.BroadPhaseLayerInterfaceTable(2, 2);
  for (const layer of [FIXED, MOVING]) layers.MapObjectToBroadPhaseLayer(layer, new jolt.BroadPhaseLayer(layer));
  settings.mObjectLayerPairFilter = pairs;
  settings.mBroadPhaseLayerInterface = layers;
  settings.mObjectVsBroadPhaseLayerFilter = new jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 2, pairs, 2);
  const made = new jolt.JoltInterface(settings);
  jolt.destroy(settings);
  return made;
}

function formOf(jolt, { halfExtents, radius, halfHeight }) {
  if (!halfExtents) return halfHeight > 0 ? new jolt.CapsuleShape(halfHeight, radius) : new jolt.SphereShape(radius);
  const half = new jolt.Vec3(...halfExtents);
  const shape = new jolt.BoxShape(half);
  jolt.destroy(half);
  return shape;
}

function makeShape(jolt, body) {
  const shape = formOf(jolt, body);
  shape.AddRef();
  return shape;
}

function addBody(jolt, bodyInterface, scene, body, shape) {
  const dynamic = body.type === 'dynamic';
  const position = new jolt.RVec3(...body.position);
  const rotation = new jolt.Quat(...body.rotation);
  const motion = dynamic ? jolt.EMotionType_Dynamic : jolt.EMotionType_Static;
  const settings = new jolt.BodyCreationSettings(shape, position, rotation, motion, dynamic ? MOVING : FIXED);
  const damping = [settings.mLinearDamping, settings.mAngularDamping];
  settings.mFriction = scene.friction;
  settings.mRestitution = 0;
  settings.mLinearDamping = 0;
  settings.mAngularDamping = 0;
  settings.mAllowSleeping = false;
  settings.mOverrideMassProperties = jolt.EOverrideMassProperties_CalculateInertia;
  settings.mMassPropertiesOverride.mMass = bodyMass(scene, body);
  const made = bodyInterface.CreateBody(settings);
  bodyInterface.AddBody(made.GetID(), dynamic ? jolt.EActivation_Activate : jolt.EActivation_DontActivate);
  for (const object of [position, rotation, settings]) jolt.destroy(object);
  return { made, damping };
}

function addJoint(jolt, system, bodies, { a, b, anchorA, anchorB }) {
  const settings = new jolt.PointConstraintSettings();
  settings.mSpace = jolt.EConstraintSpace_LocalToBodyCOM;
  const points = [new jolt.RVec3(...anchorA), new jolt.RVec3(...anchorB)];
  [settings.mPoint1, settings.mPoint2] = points;
  system.AddConstraint(settings.Create(bodies[a], bodies[b]));
  for (const object of [settings, ...points]) jolt.destroy(object);
}

const components = (vector) => [vector.GetX(), vector.GetY(), vector.GetZ()];

export async function create(scene, { multithread }) {
  const jolt = await (multithread ? loadMultithread() : loadDefault());
  const joltInterface = makeInterface(jolt, scene);
  const system = joltInterface.GetPhysicsSystem();
  system.SetGravity(new jolt.Vec3(...scene.gravity));
  const shapeOf = oncePerForm((body) => makeShape(jolt, body));
  const all = scene.bodies.map((body) => addBody(jolt, system.GetBodyInterface(), scene, body, shapeOf(body)));
  const everyone = all.map(({ made }) => made);
  scene.joints?.forEach((joint) => addJoint(jolt, system, everyone, joint));
  const bodies = everyone.filter((_, i) => scene.bodies[i].type === 'dynamic');
  system.OptimizeBroadPhase();
  const physicsSettings = system.GetPhysicsSettings();
  return {
    simd: multithread,
    threads: 1,
    settings: {
      solver: 'PGS',
      'velocity iterations': physicsSettings.mNumVelocitySteps,
      'position iterations': physicsSettings.mNumPositionSteps,
      'default damping': dampingText(all[0].damping),
      'contacts at most': MOST_CONTACTS,
    },
    step: () => joltInterface.Step(scene.dt, 1),
    readPositions(out) {
      bodies.forEach((body, i) => {
        const rotation = body.GetRotation();
        out.set([...components(body.GetPosition()), ...components(rotation), rotation.GetW()], i * POSE);
      });
    },
    velocities() {
      const out = new Float64Array(bodies.length * MOTION);
      bodies.forEach((body, i) => {
        out.set(components(body.GetLinearVelocity()), i * MOTION);
        out.set(components(body.GetAngularVelocity()), i * MOTION + 3);
      });
      return out;
    },
    push: (i, impulse) => bodies[i].AddImpulse(new jolt.Vec3(...impulse)),
    twist: (i, impulse) => bodies[i].AddAngularImpulse(new jolt.Vec3(...impulse)),
    destroy: () => jolt.destroy(joltInterface),
  };
}
