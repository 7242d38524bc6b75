import type { ExpectationFailure } from '../store-errors.ts';
import type { CommitSteps } from './commit-steps.ts';
import type { CreationBatch } from './creation-batch.ts';
import type { Statement } from './database.ts';

/** How a commit went that was done step by step. */
export interface CommitRow {
  readonly commit_no: number;
  readonly first_revision: number;
  readonly failed_step: number | null;
  readonly failure: ExpectationFailure | 'unique' | null;
}

/** How creations went that were done at once. */
export interface CreationRow {
  readonly first_created: number;
  /** The keys that stand in the way, so that none was done. Null: all were done. */
  readonly refused: readonly number[] | null;
}

const createWidth = 14;
const commitWidth = 18;

const list = (first: number, length: number): string =>
  Array.from({ length }, (_, index) => `$${first + index}`).join(', ');

const create = `chandlery_create(${list(1, createWidth)})`;

const createStatement: Statement = { name: 'create', text: `SELECT * FROM ${create}` };

const stepsStatement: Statement = {
  name: 'commit',
  text: `SELECT * FROM chandlery_commit(${list(1, commitWidth)})`,
};

/**
 * Steps are not executed when a creation is rejected. Without the OFFSET, PostgreSQL would be
 * free to evaluate that condition after it has called the function.
 */
const bothStatement: Statement = {
  name: 'create and commit',
  text: `SELECT * FROM ${create} AS c LEFT JOIN LATERAL (
    SELECT * FROM chandlery_commit(${list(createWidth + 1, commitWidth)}) WHERE c.refused IS NULL OFFSET 0) AS s ON true`,
};

/** What to run for a group, as one transaction: its creations, then its steps. */
export function commitStatement(
  channel: string,
  creations: CreationBatch,
  steps: CommitSteps,
): [Statement, readonly unknown[]] {
  const forSteps = [channel, ...steps.columns];
  if (creations.isEmpty) return [stepsStatement, forSteps];
  const forCreations = [channel, ...creations.columns()];
  return steps.origins.length === 0 ? [createStatement, forCreations] : [bothStatement, [...forCreations, ...forSteps]];
}
