// What the engine modules have in common.
//
// Every module exports `name`, `version` and `create(scene, options)`, which gives a world with
//   step()                   one step of scene.dt
//   readPositions(out)       x, y, z, qx, qy, qz, qw of each dynamic body, in the order of the scene
//   velocities()             vx, vy, vz, wx, wy, wz of each dynamic body
//   push(i, impulse), twist(i, impulse)   N s at the centre, N m s, of dynamic body i
//   simd, threads, settings  what the engine runs with, for the table
//   destroy()
import { readFileSync } from 'node:fs';

export const POSE = 7;
export const MOTION = 6;

const modules = new URL('../node_modules/', import.meta.url);

export const installedFile = (path) => new URL(path, modules);

export function packageVersion(name, folder = modules) {
  return JSON.parse(readFileSync(new URL(`${name}/package.json`, folder), 'utf8')).version;
}

/** kg. */
export function bodyMass(scene, { halfExtents, radius, halfHeight, density = scene.density }) {
  if (halfExtents) return density * 8 * halfExtents[0] * halfExtents[1] * halfExtents[2];
  return density * Math.PI * radius ** 2 * (2 * halfHeight + (4 / 3) * radius);
}

/** `make(body)`, once for each form: the cubes of a scene share one shape. */
export function oncePerForm(make) {
  const made = new Map();
  return (body) => {
    const key = [body.halfExtents, body.radius, body.halfHeight, body.density].join();
    if (!made.has(key)) made.set(key, make(body));
    return made.get(key);
  };
}

/** Where joints are judged nothing touches anything. */
export const collides = (scene) => scene.kind !== 'joints';

export function writePose(out, i, position, rotation) {
  out[i * POSE] = position.x;
  out[i * POSE + 1] = position.y;
  out[i * POSE + 2] = position.z;
  out[i * POSE + 3] = rotation.x;
  out[i * POSE + 4] = rotation.y;
  out[i * POSE + 5] = rotation.z;
  out[i * POSE + 6] = rotation.w;
}

export function writeMotion(out, i, linear, angular) {
  out[i * MOTION] = linear.x;
  out[i * MOTION + 1] = linear.y;
  out[i * MOTION + 2] = linear.z;
  out[i * MOTION + 3] = angular.x;
  out[i * MOTION + 4] = angular.y;
  out[i * MOTION + 5] = angular.z;
}

export const toVector = ([x, y, z]) => ({ x, y, z });
export const toQuaternion = ([x, y, z, w]) => ({ x, y, z, w });

/** Linear and angular damping an engine has before we set both to 0. */
export const dampingText = ([linear, angular]) => `${+linear.toFixed(3)}/${+angular.toFixed(3)}`;
