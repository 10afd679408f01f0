// cairn.d.ts against a TypeScript program: what should compile does, what should not does not.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('the types fit their use', () => {
  const here = fileURLToPath(new URL('.', import.meta.url));
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler'];
  const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
  const { stdout, status } = spawnSync(process.execPath, [compiler, ...options, 'types.ts'], { cwd: here, encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});
