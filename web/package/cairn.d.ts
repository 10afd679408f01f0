// Cairn in WebAssembly. Metres, kilograms, seconds, radians; y is up in the named scenes. Every function that the engine
// refuses throws a CairnError whose message is one sentence that names the field; the world stays as it was.

export type Vector3 = readonly [number, number, number] | ArrayLike<number>;
/** x, y, z, w; unit length. */
export type Quaternion = readonly [number, number, number, number] | ArrayLike<number>;

export class CairnError extends Error {}

export interface LoadOptions {
  /** false takes the build for runtimes without vector instructions. By default what the runtime has is found out. */
  simd?: boolean;
  /** The module itself, its bytes, or where to fetch it, for bundlers and pages that keep it elsewhere. */
  wasm?: WebAssembly.Module | BufferSource | string | URL;
}

/** Loads and starts the engine. Each call gives an engine with a memory of its own. */
export function loadCairn(options?: LoadOptions): Promise<Cairn>;
/** Whether this runtime has the vector instructions of WebAssembly. */
export function hasSimd(): boolean;

export interface Cairn {
  readonly version: string;
  readonly simd: boolean;
  /** The named scenes, with how many steps `cairn run` gives them. */
  scenes(): { name: string; summary: string; steps: number }[];
  /** Those that are not `fast` are of the laboratory: exact, for comparison, towers and small scenes. The first is the default. */
  solvers(): { name: string; summary: string; fast: boolean }[];
  createWorld(options?: WorldOptions): World;
  /** A triangle mesh, for any number of shapes in any worlds of this engine. Takes time proportional to n log n. */
  createMesh(options: MeshOptions): Mesh;
  createHeightField(options: HeightFieldOptions): HeightField;
  /** Thousands of convex solids that do not move against each other, as one shape. */
  createCompound(parts: readonly CompoundPart[]): Compound;
  /** A world with a named scene in it; gravity (0, -10, 0) and no sleeping unless told otherwise, as in `cairn run`. */
  createScene(name: string, options?: WorldOptions): World;
}

export interface MeshOptions {
  /** Three numbers each. */
  vertices: ArrayLike<number>;
  /** Three vertices per triangle, counter-clockwise seen from the front, which is the side that collides. */
  indices: ArrayLike<number>;
  /** One per triangle: a number in the `materials` of a shape. */
  materials?: ArrayLike<number>;
  /** Three numbers per vertex, for smooth meshes. Left out, they are the mean of the triangles around it. */
  normals?: ArrayLike<number>;
  /** Contact normals are interpolated between those of the vertices. */
  smooth?: boolean;
  /** Leaves out triangles without area instead of refusing the mesh. */
  dropDegenerate?: boolean;
}

export interface HeightFieldOptions {
  /** Samples along x and along z, at least 2 each. */
  columns: number;
  rows: number;
  /** Metres between them along x and along z; 1 and 1 unless given. */
  spacing?: readonly [number, number] | ArrayLike<number>;
  /** Row after row: the sample at (column, row) lies at (column * spacing[0], height, row * spacing[1]). */
  heights: ArrayLike<number>;
  /** One per cell, (columns - 1) * (rows - 1) of them: nothing is there unless it is 0. */
  holes?: ArrayLike<number>;
  /** One per cell: a number in the `materials` of a shape. */
  materials?: ArrayLike<number>;
  smooth?: boolean;
}

/** A hull is given by its points, three numbers each. */
export type CompoundPart = (Exclude<ConvexGeometry, { type: 'hull' }> | { type: 'hull'; points: ArrayLike<number> }) & {
  position?: Vector3;
  rotation?: Quaternion;
  /** A number in the `materials` of a shape. */
  material?: number;
};

/** Shapes keep what they are made of: it may be destroyed, or left to the garbage, as soon as they are created. */
interface Form<Kind> {
  readonly kind: Kind;
  destroy(): void;
}
export type Mesh = Form<'mesh'>;
export type HeightField = Form<'heightField'>;
export type Compound = Form<'compound'>;

/** What is left out takes the engine's default; `include/cairn/world.h` explains each field. */
export interface WorldOptions {
  gravity?: Vector3;
  solver?: string;
  substeps?: number;
  iterations?: number;
  earlyExit?: number;
  frictionModel?: 'patch' | 'cone';
  contactStiffness?: number;
  contactDampingRatio?: number;
  pushSpeed?: number;
  /** Largest speed at which open joints and passed limits come back, m/s and rad/s. */
  jointSpeed?: number;
  projection?: number;
  positionCorrection?: 'project' | 'nudge';
  /** How the locks of joints are solved; 'auto' solves directly where sweeps would leave them soft. */
  jointSolve?: 'auto' | 'sweep' | 'direct';
  restitutionSpeed?: number;
  hitSpeed?: number;
  sleeping?: boolean;
  sleepSpeed?: number;
  sleepTime?: number;
  /** Every step reports how far it is from a solution of the contact model. */
  measure?: boolean;
  /** Islands further from a solution than this are handed to a stronger solver; 0: none. */
  tolerance?: number;
  /** How much that may cost per step at most, in products of 3x3 matrices. */
  effort?: number;
  /** How many there is room for from the start; 0, or left out: the world grows when it must. */
  capacity?: { bodies?: number; shapes?: number; contacts?: number; joints?: number };
}

export interface StepReport {
  step: number;
  bodies: number;
  awakeBodies: number;
  islands: number;
  sleepingIslands: number;
  pairs: number;
  manifolds: number;
  points: number;
  /** Joints awake, and of them those whose locks were solved directly. */
  joints: number;
  direct: number;
  colors: number;
  substeps: number;
  iterations: number;
  maxSubsteps: number;
  /** Deepest overlap when the step began, metres. */
  maxPenetration: number;
  stepMs: number;
  /** How far the step is from a solution, over all islands and in the worst one; NaN unless it is measured. */
  residual: number;
  worstResidual: number;
  /** Islands handed to a stronger solver, and those that missed the tolerance for good. */
  handedOver: number;
  missed: number;
  /** Bodies whose motion was not finite, which were stopped where they were, and the number of the first of them; 0: none. */
  lost: number;
  lostBody: number;
  stageMs: Record<'pairs' | 'collide' | 'islands' | 'solve' | 'store' | 'sleep', number>;
}

export interface Energy {
  kinetic: number;
  potential: number;
  mass: number;
  linearMomentum: [number, number, number];
  angularMomentum: [number, number, number];
}

/**
 * The arrays are views on the engine's memory, not copies. They show the world as it was when they were asked for, and are valid
 * until the next call that creates something or steps: ask again every frame, which costs microseconds.
 */
export interface World {
  /** Advances by dt seconds, 1/60 unless given. */
  step(dt?: number): StepReport;
  createBody(options?: BodyOptions): Body;
  /** A convex hull around points, three numbers each; any number of shapes can use it. */
  createHull(points: ArrayLike<number>): Hull;
  destroyHull(hull: Hull): void;

  /** Ties two bodies, or a body and the world. */
  createJoint(options: JointOptions): Joint;
  /** A human body of 16 bones, tied by joints that move as far as those of people do. */
  createRagdoll(options?: RagdollOptions): Ragdoll;
  readonly jointCount: number;
  joints(): Joint[];
  jointsOf(body: Body): Joint[];
  /** Joints that broke in the last step. They are gone; `joint.id` tells which it was. */
  readonly jointEvents: JointEvent[];
  /** Bodies that were stopped on their paths in the last step, or got past what stopped them. */
  readonly pathEvents: { body: Body; blocked: boolean; force: number; torque: number }[];

  /** The first shape between an origin and origin + translation; null when there is none. */
  castRay(origin: Vector3, translation: Vector3, filter?: QueryFilter): Hit | null;
  /** All shapes that are hit, the first hit of each, sorted by fraction. */
  castRayAll(origin: Vector3, translation: Vector3, filter?: QueryFilter): Hit[];
  /**
   * Many rays at once, six numbers each: origin and translation. Eleven numbers per ray: slot of the body or -1 for no hit, part,
   * fraction, material, point x, y, z, normal x, y, z, and the bits of the shape's id. A view on the engine's memory until the next query.
   */
  castRays(rays: ArrayLike<number>, filter?: QueryFilter): Float64Array;
  castShape(probe: Probe, translation: Vector3, filter?: QueryFilter): Hit | null;
  castShapeAll(probe: Probe, translation: Vector3, filter?: QueryFilter): Hit[];
  /** The shapes that touch or overlap a probe, or whose bounding box meets a box, sorted by id. */
  overlapShape(probe: Probe, filter?: QueryFilter): { shape: Shape; body: Body }[];
  overlapBox(lower: Vector3, upper: Vector3, filter?: QueryFilter): { shape: Shape; body: Body }[];
  /** The closest point of any shape to a place, or to a probe, no farther than `reach` metres. */
  closestPoint(place: Vector3, reach: number, filter?: QueryFilter): ClosestHit | null;
  closest(probe: Probe, reach: number, filter?: QueryFilter): ClosestHit | null;

  /** What overlaps a sensor since the last step. */
  overlapsOf(sensor: Shape): Shape[];
  /** What began and ended to overlap sensors with the last step. */
  readonly sensorEvents: { begin: SensorEvent[]; end: SensorEvent[] };

  readonly bodyCount: number;
  /** Length of the per-body arrays in bodies. Slots of destroyed bodies stay until they are used again. */
  readonly slotCount: number;
  bodyAt(slot: number): Body | null;
  bodies(): Body[];

  /** Eight numbers per slot: x, y, z of the body's origin, 1 if awake or 0, rotation x, y, z, w. */
  readonly transforms: Float32Array;
  /** Eight numbers per slot: linear x, y, z, its length, angular x, y, z, 0. */
  readonly velocities: Float32Array;
  /**
   * Sixteen numbers per contact point: place x, y, z; normal x, y, z from body a to b; normal impulse of the last step (N s);
   * separation (negative when overlapping); slots of a and b; colour in the constraint graph; friction impulse on b x, y, z; 0, 0.
   */
  readonly contacts: Float32Array;
  /** Six numbers per shape: lower x, y, z, upper x, y, z. */
  readonly boxes: Float32Array;
  /**
   * Forty-four numbers per joint, for drawing: its own slot; slots of bodies a and b, -1 for the world; kind;
   * 1 if the swings bound a cone; position and rotation of frame a in body a, then of frame b in body b; freedom of the six degrees of
   * freedom (0 free, 1 locked, 2 limited); lower and upper limit of each; the two points over which a pulley runs; 0. Kinds count in
   * the order of JointKind.
   */
  readonly jointFrames: Float32Array;
  /** Per slot, the number of the island of bodies that touch, or -1 for what is not dynamic. */
  readonly islands: Int32Array;

  /** 16 hexadecimal digits over all transforms and velocities: the same on every machine that was given the same input. */
  hash(): string;
  energy(): Energy;
  /** Deepest overlap now, metres. */
  readonly maxPenetration: number;
  gravity: Vector3;
  sleeping: boolean;
  solver: string;
  /** See the options of the same names. */
  measure: boolean;
  tolerance: number;
  /** Gives the memory back. Worlds that nothing refers to any more are destroyed with the garbage. */
  destroy(): void;
}

export type JointKind = 'frames' | 'distance' | 'pulley' | 'gear' | 'rack';
/** x, y, z in metres along the axes of frame a; twist about x and swings of that axis in radians. Kinds other than 'frames' have x alone. */
export type Dof = 'x' | 'y' | 'z' | 'twist' | 'swingY' | 'swingZ';
export type MotorMode = 'off' | 'speed' | 'place';

/** One degree of freedom; `include/cairn/joint.h` explains each field. Forces in N, torques in N m. */
export interface JointAxis {
  freedom?: 'free' | 'locked' | 'limited';
  lower?: number;
  upper?: number;
  /** How a lock or limit gives way; 0 Hz: not at all. */
  hertz?: number;
  dampingRatio?: number;
  springStiffness?: number;
  springDamping?: number;
  springRest?: number;
  motor?: MotorMode;
  motorTarget?: number;
  motorMaxForce?: number;
  motorHertz?: number;
  motorDampingRatio?: number;
  friction?: number;
}

/**
 * A motor and friction about all three axes of rotation at once, bounded by the length of their torque. No rotation may be locked;
 * `include/cairn/joint.h` explains each field.
 */
export interface JointBall {
  /** 'speed' drives to a velocity, 'place' to a rotation. */
  motor?: MotorMode;
  /** Of b against a in the axes of frame a, rad/s. */
  motorVelocity?: Vector3;
  /** Of frame b in frame a. */
  motorRotation?: Quaternion;
  motorMaxTorque?: number;
  motorHertz?: number;
  motorDampingRatio?: number;
  friction?: number;
}

interface JointEnds {
  /** Left out or null: the world. */
  bodyA?: Body | null;
  bodyB?: Body | null;
}

interface JointExtras {
  /** What is given here is set over what the preset has. */
  axes?: { readonly [dof in Dof]?: JointAxis };
  ball?: JointBall;
  /** The limits of the two swings bound one elliptic cone. */
  cone?: boolean;
  /** The two bodies collide with each other. */
  collide?: boolean;
  /** The joint breaks in the step in which it carries more than this, N and N m. */
  breakForce?: number;
  breakTorque?: number;
}

/** Anchors, axes and directions are in the world, where the bodies are now. */
export type JointPreset =
  | { type: 'ball' | 'fixed'; anchor: Vector3 }
  | { type: 'coneTwist'; anchor: Vector3; axis: Vector3; swing: number; twist: number }
  | { type: 'hinge' | 'slider' | 'cylindrical'; anchor: Vector3; axis: Vector3 }
  | { type: 'planar'; anchor: Vector3; normal: Vector3 }
  | { type: 'distance'; anchorA: Vector3; anchorB: Vector3 }
  | { type: 'rope'; anchorA: Vector3; anchorB: Vector3; length: number }
  | { type: 'spring'; anchorA: Vector3; anchorB: Vector3; stiffness: number; damping: number }
  /** Body b is the wheel of the chassis a. */
  | { type: 'wheel'; anchor: Vector3; up: Vector3; axle: Vector3; stiffness: number; damping: number }
  /** Drives b to a pose relative to a: the targets of its six motors, 0 for the pose that it has now. */
  | { type: 'motor'; hertz: number; maxForce: number; maxTorque: number }
  | { type: 'gear'; axisA: Vector3; axisB: Vector3; ratio: number }
  /** Body a is the pinion, body b the rack; metres per radian. */
  | { type: 'rack'; axis: Vector3; direction: Vector3; ratio: number }
  | { type: 'pulley'; anchorA: Vector3; anchorB: Vector3; groundA: Vector3; groundB: Vector3; ratio: number };

/** Frames of a joint in the frames of its bodies, or in the world. */
export interface JointFrames {
  positionA?: Vector3;
  rotationA?: Quaternion;
  positionB?: Vector3;
  rotationB?: Quaternion;
}

/** A joint in full: what is left out is free, 0, or the origin of the body. */
export interface JointDefinition extends JointEnds, JointExtras, JointFrames {
  kind: JointKind;
  groundA?: Vector3;
  groundB?: Vector3;
  ratio?: number;
}

/** A preset by its `type`, or a definition in full by its `kind`. */
export type JointOptions = (JointPreset & JointEnds & JointExtras) | JointDefinition;

export interface Joint {
  readonly world: World;
  readonly id: bigint;
  /** Its number in `jointFrames`, used again when it is gone. */
  readonly slot: number;
  readonly isValid: boolean;
  /** null is the world. */
  readonly bodyA: Body | null;
  readonly bodyB: Body | null;
  /** What it is now; createJoint makes the same again of it. */
  readonly definition: Required<JointDefinition> & { axes: Record<Dof, Required<JointAxis>>; ball: Required<JointBall> };
  /** What is left out stays. */
  setAxis(dof: Dof, axis: JointAxis): void;
  setMotor(dof: Dof, mode: 'off'): void;
  setMotor(dof: Dof, mode: MotorMode, target: number, maxForce: number): void;
  setLimits(dof: Dof, lower: number, upper: number): void;
  /** All three rotations at once; what is left out stays. */
  setBall(ball: JointBall): void;
  /** What the motor about all three axes drives to. */
  setTargetRotation(rotation: Quaternion): void;
  setTargetVelocity(velocity: Vector3): void;
  setFrames(frames: JointFrames): void;
  setBreak(force: number, torque?: number): void;
  /** m or rad, and m/s or rad/s. */
  place(dof: Dof): number;
  speed(dof: Dof): number;
  /** Of frame b in frame a, now. */
  readonly rotation: [number, number, number, number];
  /** What it did to body b in the last step, on average; body a feels the opposite. */
  readonly reaction: {
    force: [number, number, number];
    torque: [number, number, number];
    point: [number, number, number];
    axisForce: Record<Dof, number>;
    motorForce: Record<Dof, number>;
    motorTorque: [number, number, number];
  };
  /** How far its locked degrees of freedom are off, m and rad. */
  readonly error: { linear: number; angular: number };
  destroy(): void;
}

export interface JointEvent {
  joint: Joint;
  bodyA: Body | null;
  bodyB: Body | null;
  /** What it carried when it broke, N and N m. */
  force: number;
  torque: number;
}

export type Bone =
  | 'pelvis' | 'abdomen' | 'chest' | 'head'
  | `${'left' | 'right'}${'UpperArm' | 'Forearm' | 'Hand' | 'Thigh' | 'Shin' | 'Foot'}`;

/** How bones are turned against those they hang on, from rest: standing, arms down. Bones that are left out are at rest. */
export type Pose = { readonly [bone in Bone]?: Quaternion };

/** `include/cairn/ragdoll.h` explains each field. */
export interface RagdollOptions extends Material, Filter {
  /** Of the ground between its feet. */
  position?: Vector3;
  rotation?: Quaternion;
  pose?: Pose;
  velocity?: Vector3;
  height?: number;
  mass?: number;
  /** As a part of the largest torque of the muscles. */
  jointFriction?: number;
  collideSelf?: boolean;
}

export interface Ragdoll {
  readonly world: World;
  readonly height: number;
  readonly mass: number;
  readonly bodies: Record<Bone, Body>;
  /** With the bone it hangs on. */
  readonly joints: Record<Exclude<Bone, 'pelvis'>, Joint> & { pelvis: null };
  readonly pose: Record<Bone, [number, number, number, number]>;
  /** Motors drive it towards a pose until told otherwise; strength 1 is that of a strong person. 0 Hz: as stiff as it allows. */
  setPose(pose: Pose, strength?: number, hertz?: number): void;
  /** All motors off. */
  relax(): void;
  /** These bones become kinematic, all others dynamic. */
  setKinematic(bones: Iterable<Bone>): void;
  /** Takes its kinematic bones in so many seconds to where a pose has them, in a body that stands there. */
  follow(place: { position: Vector3; rotation?: Quaternion }, pose: Pose, seconds: number): void;
  /** By how much the worst joint is beyond its limits, rad. */
  readonly limitError: number;
  destroy(): void;
}

/** `include/cairn/path.h` explains each field. */
export interface PathOptions {
  keys: readonly { time: number; position: Vector3; rotation?: Quaternion }[];
  loop?: boolean;
  ease?: 'linear' | 'smooth';
  speed?: number;
  start?: number;
  maxForce?: number;
  maxTorque?: number;
  /** What it does when more than that is in its way. */
  blocked?: 'pushOn' | 'stall' | 'reverse';
  backTime?: number;
  wait?: number;
}

/** A query sees shapes whose category is in `mask` and whose mask has one of `category`; sensors only when asked for. */
export interface QueryFilter {
  category?: number;
  mask?: number;
  sensors?: boolean;
  ignore?: Body;
}

/** A convex solid somewhere, to be cast or looked around. */
export type Probe = ConvexGeometry & { position?: Vector3; rotation?: Quaternion };

export interface Hit {
  shape: Shape;
  body: Body;
  /** Which triangle or solid of a mesh, height field or compound; -1 for convex shapes. */
  part: number;
  /** Of the translation, 0 to 1. */
  fraction: number;
  point: [number, number, number];
  /** Of the shape there; zero when the query starts inside of it. */
  normal: [number, number, number];
  /** The number in the `materials` of the shape; 0 where it has none. */
  material: number;
}

export interface ClosestHit {
  shape: Shape;
  body: Body;
  part: number;
  /** Metres; 0 when they overlap. */
  distance: number;
  point: [number, number, number];
  probePoint: [number, number, number];
  /** From the shape to the probe; zero when they overlap. */
  normal: [number, number, number];
}

export interface SensorEvent {
  sensor: Shape;
  visitor: Shape;
}

/** What is left out takes the engine's default; `include/cairn/body.h` explains each field. */
export interface BodyOptions {
  type?: 'static' | 'kinematic' | 'dynamic';
  position?: Vector3;
  rotation?: Quaternion;
  linearVelocity?: Vector3;
  angularVelocity?: Vector3;
  linearDamping?: number;
  angularDamping?: number;
  gravityScale?: number;
  /** Bits: 1, 2, 4 linear x, y, z; 8, 16, 32 angular x, y, z. */
  locks?: number;
  canSleep?: boolean;
  awake?: boolean;
  /** Does not pass through things, however fast it moves or turns. */
  continuous?: boolean;
  /** m/s: slower than this it counts as still; negative, the default: that of the world. */
  sleepSpeed?: number;
  /** m/s, of a dynamic body; Infinity, the default: no limit. */
  maxLinearSpeed?: number;
  /** rad/s, likewise. */
  maxAngularSpeed?: number;
  shapes?: ShapeOptions[];
}

export interface Body {
  readonly world: World;
  readonly id: bigint;
  /** Where its numbers are in the arrays of the world. */
  readonly slot: number;
  readonly isValid: boolean;
  type: 'static' | 'kinematic' | 'dynamic';
  readonly position: [number, number, number];
  readonly rotation: [number, number, number, number];
  /** Centre of mass in the world. */
  readonly center: [number, number, number];
  linearVelocity: Vector3;
  angularVelocity: Vector3;
  awake: boolean;
  continuous: boolean;
  sleepSpeed: number;
  maxLinearSpeed: number;
  maxAngularSpeed: number;
  readonly mass: { mass: number; center: [number, number, number]; inertia: number[] };
  /** What contacts and joints did to it in the last step, on average, about its centre; `pressure` sums the lengths of all forces, N. */
  readonly push: { force: [number, number, number]; torque: [number, number, number]; pressure: number };
  setTransform(position: Vector3, rotation?: Quaternion): void;
  /** Gives a kinematic body the velocity that takes it there in the given time. */
  moveKinematic(position: Vector3, rotation: Quaternion, seconds: number): void;
  /** Lets a kinematic body follow keys in time, with exact velocities; it begins at the place of `start`. */
  setPath(path: PathOptions): void;
  /** The body stops where it is. */
  clearPath(): void;
  /** Faster, slower, backwards, or 0 to stand. */
  setPathSpeed(speed: number): void;
  /** null without a path. Forces are those against its way and its turn, N and N m. */
  readonly pathState: { time: number; direction: -1 | 0 | 1; blocked: boolean; force: number; torque: number } | null;
  /** Acts during the next step; at the centre of mass unless a point of the world is given. */
  applyForce(force: Vector3, point?: Vector3): void;
  applyTorque(torque: Vector3): void;
  /** Acts at once. */
  applyImpulse(impulse: Vector3, point?: Vector3): void;
  applyAngularImpulse(impulse: Vector3): void;
  /** Whether the two may collide: true unless it was set otherwise. Filters and joints can forbid it besides; queries do not ask. */
  collidesWith(other: Body): boolean;
  setCollidesWith(other: Body, collide: boolean): void;
  /** The same for a shape of this body and one of another. */
  shapesCollide(shape: Shape, other: Shape): boolean;
  setShapesCollide(shape: Shape, other: Shape, collide: boolean): void;
  addShape(options: ShapeOptions): Shape;
  /** Many at once, all or none, with one update of the mass. */
  addShapes(list: readonly ShapeOptions[]): Shape[];
  removeShape(shape: Shape): void;
  /** For drawing. What several bodies share is one object, and read once, when the same map is handed to all of them in one go. */
  shapes(known?: Map<number, unknown>): ShapeForm[];
  destroy(): void;
}

export interface Hull {
  readonly id: bigint;
}

export interface Shape {
  readonly id: bigint;
}

/** `include/cairn/shape.h` explains each field. */
export interface Material {
  friction?: number;
  kineticFriction?: number;
  restitution?: number;
  rollingResistance?: number;
  spinningResistance?: number;
  surfaceVelocity?: Vector3;
  grain?: Vector3;
  grainFriction?: number;
}

export interface Filter {
  /** Bits, up to 2^53; -1 stands for all. */
  category?: number;
  mask?: number;
  group?: number;
}

export type ShapeOptions = Geometry & Material & Filter & {
  /** Of the shape's frame in the body's. */
  position?: Vector3;
  rotation?: Quaternion;
  density?: number;
  /** Those of the parts of a mesh, height field or compound. */
  materials?: readonly Material[];
  /** Reports what overlaps it; pushes nothing and weighs nothing. */
  sensor?: boolean;
};

/**
 * Capsules and cylinders stand along y; a capsule's half height is half the distance between the centres of its caps. A tapered
 * capsule is the convex hull of two balls, the one of the bottom radius at the lower end.
 */
export type ConvexGeometry =
  | { type: 'sphere'; radius: number }
  | { type: 'capsule'; radius: number; halfHeight: number }
  | { type: 'box'; halfExtents: Vector3 }
  | { type: 'cylinder'; radius: number; halfHeight: number }
  | { type: 'taperedCapsule'; bottomRadius: number; topRadius: number; halfHeight: number }
  | { type: 'hull'; hull: Hull };

/** A negative factor of the scale mirrors a mesh; those of height fields are above 0. */
export type Geometry =
  | ConvexGeometry
  | { type: 'mesh'; mesh: Mesh; scale?: Vector3 }
  | { type: 'heightField'; heightField: HeightField; scale?: Vector3 }
  | { type: 'compound'; compound: Compound };

type ConvexForm = { position: number[]; rotation: number[] } & (
  | { type: 'sphere'; radius: number }
  | { type: 'capsule' | 'cylinder'; radius: number; halfHeight: number }
  | { type: 'taperedCapsule'; bottomRadius: number; topRadius: number; halfHeight: number }
  | { type: 'box'; halfExtents: number[] }
  | { type: 'hull'; vertices: Float32Array; faces: Uint32Array[] }
);

/** A shape as it is drawn. */
export type ShapeForm = Shape & (
  | ConvexForm
  | { position: number[]; rotation: number[] } & (
    | { type: 'mesh'; scale: number[]; mesh: { vertices: Float32Array; indices: Uint32Array; materials: Uint16Array } }
    | {
      type: 'heightField';
      scale: number[];
      heightField: { columns: number; rows: number; spacing: number[]; heights: Float32Array; holes: Uint8Array };
    }
    | { type: 'compound'; parts: ConvexForm[] }
  )
);
