import assert from 'node:assert/strict';
import { eventually } from '@chandlery/testing';
import { type Answer, assertStatus, type Body } from './http.ts';
import type { Stage } from './stage.ts';

/** The address in a 202, which is relative and comes with an empty object. */
export function locationOf(answer: Answer): string {
  assertStatus(answer, 202);
  assert.equal(answer.text, '{}');
  const location = answer.headers['location'] ?? '';
  assert.match(location, /^\/v1\/[a-z_]+\/[^/]+\/operations\/[^/]+$/);
  return location;
}

/** The id of what a 202 is about. */
export const resourceIdOf = (answer: Answer): string => locationOf(answer).split('/')[3] ?? '';

/** Waits until the operation of a 202 has ended. */
export async function ended(stage: Stage, answer: Answer): Promise<Body> {
  return operationWhere(stage, locationOf(answer), ({ state }) => state === 'succeeded' || state === 'failed');
}

/** Waits until an operation is as it should be. */
export async function operationWhere(
  stage: Stage,
  location: string,
  isSuch: (operation: Body) => boolean,
): Promise<Body> {
  let last: Body = {};
  return eventually(
    async () => {
      last = (await stage.get(location)).body;
      return isSuch(last) ? last : undefined;
    },
    { what: `${location} to be as it should` },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}; it is ${JSON.stringify(last)}`, { cause: error });
  });
}

/** Waits until a resource is deleted. */
export async function gone(stage: Stage, path: string): Promise<void> {
  await eventually(async () => (await stage.get(path)).status === 404, { what: `${path} to be gone` });
}

/** Waits until a resource is as it should be. */
export async function resourceWhere(stage: Stage, path: string, isSuch: (body: Body) => boolean): Promise<Body> {
  return eventually(
    async () => {
      const { body } = await stage.get(path);
      return isSuch(body) ? body : undefined;
    },
    { what: `${path} to be as it should` },
  );
}
