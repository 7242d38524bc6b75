/** Why an operation cannot be carried out. The evaluator adds where in the expression, and makes a WorkflowError of it. */
export class Failure extends Error {}

/** Throws a failure. */
export function fail(message: string): never {
  throw new Failure(message);
}
