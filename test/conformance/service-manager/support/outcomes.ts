import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../endpoint-outcomes.ts';
import type { SeenAnswer } from './http.ts';
import type { Stage } from './stage.ts';

/** An outcome, taken apart. */
interface Expected {
  readonly method: string;
  readonly path: RegExp;
  /** What the query must have: `cascade`, or `async=true`. */
  readonly query: readonly string[];
  readonly status: number;
  readonly error: string | undefined;
}

/**
 * A test that shows outcomes of endpoints. Besides what it asserts itself, it fails unless each of them was really
 * answered while it ran.
 */
export function outcome(
  stage: Stage,
  outcomes: Outcome | readonly Outcome[],
  title: string,
  body: () => Promise<void>,
): void {
  test(title, async () => {
    const start = stage.seen.length;
    await body();
    const seen = stage.seen.slice(start);
    for (const wanted of [outcomes].flat()) {
      const expected = parseOutcome(wanted);
      assert.ok(
        seen.some(answer => isSuch(answer, expected)),
        `the test says that it shows "${wanted}", but saw only ${JSON.stringify(seen)}`,
      );
      stage.shown.add(wanted);
    }
  });
}

/** `DELETE /v1/platforms/:id?cascade=true 422 UnprocessableEntity`. */
export function parseOutcome(text: string): Expected {
  const [method = '', address = '', status = '', error] = text.split(' ');
  const [path = '', query = ''] = address.split('?');
  return {
    method,
    path: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
    query: query === '' ? [] : query.split('&'),
    status: Number(status),
    error,
  };
}

function isSuch({ method, path, status, error }: SeenAnswer, expected: Expected): boolean {
  const [plain = '', query = ''] = path.split('?');
  const asked = new URLSearchParams(query);
  return (
    method === expected.method &&
    status === expected.status &&
    error === expected.error &&
    expected.path.test(plain) &&
    expected.query.every(part => isAsked(asked, part))
  );
}

function isAsked(asked: URLSearchParams, part: string): boolean {
  const [name = '', value] = part.split('=');
  return value === undefined ? asked.has(name) : asked.get(name) === value;
}

/** A last test that everything of the table was shown by those before it. */
export function everyOutcomeIsShown(stage: Stage, outcomes: readonly Outcome[]): void {
  test('every outcome in the table of endpoints was shown', () => {
    assert.deepEqual(
      outcomes.filter(wanted => !stage.shown.has(wanted)),
      [],
    );
    assert.equal(new Set(outcomes).size, outcomes.length, 'the table says nothing twice');
  });
}
