import { ChandleryError, type ChandleryErrorOptions } from '@chandlery/api';

/** What can go wrong in this package. Codes are stable. */
export const workflowErrorCodes = {
  /** The document cannot be read, or lacks what an execution needs. */
  'invalid-document': true,
  /** An expression, condition or path cannot be parsed. */
  'invalid-expression': true,
  /** An expression was parsed and cannot be evaluated in its environment. */
  'expression-failed': true,
  /** The value of an expression is none that JSON can show. */
  'expression-not-json': true,
  /** An expression exceeds its limit of steps or memory. */
  'expression-too-costly': true,
  /** A tag refers to something that its scope does not have. */
  'unresolved-tag': true,
  /** A value that was requested comes from a node that was skipped or omitted. */
  'absent-value': true,
  /** A command does not fit the state of the workflow. */
  'invalid-command': true,
  /** Two node names have the same id. */
  'id-collision': true,
  /** The runner cannot execute the container. */
  'cannot-run': true,
} as const;

export type WorkflowErrorCode = keyof typeof workflowErrorCodes;

/** The error of this package. The message is what users read in the status of a node or workflow. */
export class WorkflowError extends ChandleryError {
  declare readonly code: WorkflowErrorCode;

  constructor(code: WorkflowErrorCode, message: string, options: ChandleryErrorOptions = {}) {
    super(code, message, options);
    this.name = 'WorkflowError';
  }
}

/** The text of anything thrown, for the message of a node. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
