// The native program, for tests that compare with it. CAIRN names it; else it is the release build.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const program = process.env.CAIRN ?? fileURLToPath(new URL('../../build/release/cairn', import.meta.url));
export const hasProgram = existsSync(program);

export function cairn(...parameters) {
  return execFileSync(program, parameters, { encoding: 'utf8', maxBuffer: 1e8 });
}

export function nativeHash(scene, steps, ...options) {
  return JSON.parse(cairn('bench', scene, '--steps', String(steps), '--json', ...options)).state_hash;
}
