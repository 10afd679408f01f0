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
  /** A world with a named scene in it; gravity (0, -10, 0) and no sleeping unless told otherwise, as in `cairn run`. */
  createScene(name: string, options?: WorldOptions): World;
}

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
  projection?: number;
  positionCorrection?: 'project' | 'nudge';
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
  readonly mass: { mass: number; center: [number, number, number]; inertia: number[] };
  setTransform(position: Vector3, rotation?: Quaternion): void;
  /** Gives a kinematic body the velocity that takes it there in the given time. */
  moveKinematic(position: Vector3, rotation: Quaternion, seconds: number): void;
  /** Acts during the next step; at the centre of mass unless a point of the world is given. */
  applyForce(force: Vector3, point?: Vector3): void;
  applyTorque(torque: Vector3): void;
  /** Acts at once. */
  applyImpulse(impulse: Vector3, point?: Vector3): void;
  applyAngularImpulse(impulse: Vector3): void;
  addShape(options: ShapeOptions): Shape;
  removeShape(shape: Shape): void;
  shapes(): ShapeForm[];
  destroy(): void;
}

export interface Hull {
  readonly id: bigint;
}

export interface Shape {
  readonly id: bigint;
}

export type ShapeOptions = Geometry & {
  /** Of the shape's frame in the body's. */
  position?: Vector3;
  rotation?: Quaternion;
  density?: number;
  friction?: number;
  kineticFriction?: number;
  restitution?: number;
  rollingResistance?: number;
  spinningResistance?: number;
  surfaceVelocity?: Vector3;
  /** Bits, up to 2^53; -1 stands for all. */
  category?: number;
  mask?: number;
  group?: number;
};

/** Capsules and cylinders stand along y; a capsule's half height is half the distance between the centres of its caps. */
export type Geometry =
  | { type: 'sphere'; radius: number }
  | { type: 'capsule'; radius: number; halfHeight: number }
  | { type: 'box'; halfExtents: Vector3 }
  | { type: 'cylinder'; radius: number; halfHeight: number }
  | { type: 'hull'; hull: Hull };

/** A shape as it is drawn. */
export type ShapeForm = Shape & { position: number[]; rotation: number[] } & (
  | { type: 'sphere'; radius: number }
  | { type: 'capsule' | 'cylinder'; radius: number; halfHeight: number }
  | { type: 'box'; halfExtents: number[] }
  | { type: 'hull'; vertices: Float32Array; faces: Uint32Array[] }
);
