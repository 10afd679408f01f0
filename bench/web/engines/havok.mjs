// Havok with SIMD. It takes the geometric mean of two frictions; calls answer [code, value], or the code alone.
// It tells nothing about its solver.
import { readFileSync } from 'node:fs';
import HavokPhysics from '@babylonjs/havok';
import { collides, dampingText, installedFile, MOTION, oncePerForm, packageVersion, POSE } from './shared.mjs';

export const name = 'Havok';
export const version = packageVersion('@babylonjs/havok');

function formOf(havok, { halfExtents, radius, halfHeight }) {
  if (halfExtents) return havok.HP_Shape_CreateBox([0, 0, 0], [0, 0, 0, 1], halfExtents.map((half) => 2 * half));
  if (halfHeight > 0) return havok.HP_Shape_CreateCapsule([0, -halfHeight, 0], [0, halfHeight, 0], radius);
  return havok.HP_Shape_CreateSphere([0, 0, 0], radius);
}

function makeShape(havok, scene, body) {
  const [, shape] = formOf(havok, body);
  const { GEOMETRIC_MEAN, MAXIMUM } = havok.MaterialCombine;
  havok.HP_Shape_SetMaterial(shape, [scene.friction, scene.friction, 0, GEOMETRIC_MEAN, MAXIMUM]);
  havok.HP_Shape_SetDensity(shape, body.density ?? scene.density);
  if (!collides(scene)) havok.HP_Shape_SetFilterInfo(shape, [1, 0]); // in one group, and collides with none
  return shape;
}

function addBody(havok, world, body, shape) {
  const dynamic = body.type === 'dynamic';
  const [, made] = havok.HP_Body_Create();
  havok.HP_Body_SetShape(made, shape);
  havok.HP_Body_SetMotionType(made, dynamic ? havok.MotionType.DYNAMIC : havok.MotionType.STATIC);
  if (dynamic) {
    havok.HP_Body_SetMassProperties(made, havok.HP_Shape_BuildMassProperties(shape)[1]);
    havok.HP_Body_SetLinearDamping(made, 0);
    havok.HP_Body_SetAngularDamping(made, 0);
  }
  havok.HP_Body_SetQTransform(made, [body.position, body.rotation]);
  havok.HP_World_AddBody(world, made, false);
  if (dynamic) havok.HP_Body_SetActivationControl(made, havok.ActivationControl.ALWAYS_ACTIVE);
  return made;
}

function addJoint(havok, bodies, { a, b, anchorA, anchorB }) {
  const [, joint] = havok.HP_Constraint_Create();
  const axes = [[1, 0, 0], [0, 1, 0]];
  havok.HP_Constraint_SetParentBody(joint, bodies[a]);
  havok.HP_Constraint_SetChildBody(joint, bodies[b]);
  havok.HP_Constraint_SetAnchorInParent(joint, anchorA, ...axes);
  havok.HP_Constraint_SetAnchorInChild(joint, anchorB, ...axes);
  for (const axis of ['LINEAR_X', 'LINEAR_Y', 'LINEAR_Z'])
    havok.HP_Constraint_SetAxisMode(joint, havok.ConstraintAxis[axis], havok.ConstraintAxisLimitMode.LOCKED);
  havok.HP_Constraint_SetCollisionsEnabled(joint, 0);
  havok.HP_Constraint_SetEnabled(joint, 1);
}

function defaultDamping(havok) {
  const [, body] = havok.HP_Body_Create();
  const damping = [havok.HP_Body_GetLinearDamping(body)[1], havok.HP_Body_GetAngularDamping(body)[1]];
  havok.HP_Body_Release(body);
  return dampingText(damping);
}

export async function create(scene) {
  const havok = await HavokPhysics({ wasmBinary: readFileSync(installedFile('@babylonjs/havok/lib/esm/HavokPhysics.wasm')) });
  const [, world] = havok.HP_World_Create();
  havok.HP_World_SetGravity(world, scene.gravity);
  const shapeOf = oncePerForm((body) => makeShape(havok, scene, body));
  const all = scene.bodies.map((body) => addBody(havok, world, body, shapeOf(body)));
  scene.joints?.forEach((joint) => addJoint(havok, all, joint));
  const bodies = all.filter((_, i) => scene.bodies[i].type === 'dynamic');
  return {
    simd: true,
    threads: 1,
    settings: { solver: 'not told', 'default damping': defaultDamping(havok) },
    step: () => havok.HP_World_Step(world, scene.dt),
    readPositions: (out) => bodies.forEach((body, i) => out.set(havok.HP_Body_GetQTransform(body)[1].flat(), i * POSE)),
    velocities() {
      const out = new Float64Array(bodies.length * MOTION);
      bodies.forEach((body, i) => {
        out.set(havok.HP_Body_GetLinearVelocity(body)[1], i * MOTION);
        out.set(havok.HP_Body_GetAngularVelocity(body)[1], i * MOTION + 3);
      });
      return out;
    },
    push: (i, impulse) => havok.HP_Body_ApplyImpulse(bodies[i], havok.HP_Body_GetPosition(bodies[i])[1], impulse),
    twist: (i, impulse) => havok.HP_Body_ApplyAngularImpulse(bodies[i], impulse),
    destroy: () => havok.HP_World_Release(world),
  };
}
