import type { ErrorEntry } from '../error-catalogue.ts';

/** Errors of the REST API of orders (`Orders:` and its code), and of workflows. */
export const ordersErrors: Readonly<Record<string, ErrorEntry>> = {
  'Orders:bad-request': { means: 'The request is not understood.', next: 'Correct what the message names.' },
  'Orders:invalid-filter': {
    means: 'The filter cannot be parsed.',
    next: "Write it as name == 'x' && status == 'failed'.",
  },
  'Orders:invalid-page': {
    means: 'The page token is not one that this list gave.',
    next: 'List again from the first page.',
  },
  'Orders:at-time-too-old': { means: 'Records of that time are no longer kept.', next: 'Ask for a later time.' },
  'Orders:namespace-required': { means: 'There are several tenants.', next: 'Say which one with --namespace.' },
  'Orders:unauthenticated': {
    means: 'The landscape does not know who asks.',
    next: 'Sign in with "npx chandlery login", or use another kubeconfig (--kubeconfig).',
  },
  'Orders:forbidden': {
    means: 'The credentials lack the right that the message names.',
    next: 'Ask an administrator of the workspace or project for it.',
  },
  'Orders:limit-exceeded': {
    means: 'A limit of the tenant is reached.',
    next: 'Remove what is no longer needed, or ask the operator for a higher limit.',
  },
  'Orders:not-found': {
    means: 'There is no such record, or it is not visible to you.',
    next: 'See what there is with "npx chandlery service list" and "npx chandlery order list".',
  },
  'Orders:method-not-allowed': {
    means: 'The HTTP method is not offered here.',
    next: 'Use another method: the OpenAPI document lists them.',
  },
  'Orders:already-exists': { means: 'A record with this id or name exists.', next: 'Choose another one.' },
  'Orders:conflict': {
    means: 'The record is in a state that does not allow it.',
    next: 'See how far it is with "npx chandlery order describe ID".',
  },
  'Orders:artifact-complete': { means: 'A complete artifact never changes.', next: 'Upload another one.' },
  'Orders:artifact-not-ready': {
    means: 'The upload of the artifact has not ended.',
    next: 'Continue it with "npx chandlery artifact put FILE --resume ID".',
  },
  'Orders:offset-mismatch': {
    means: 'The piece of an upload does not continue where the last one ended.',
    next: 'Ask for the offset, and continue there.',
  },
  'Orders:unsupported-tus-version': {
    means: 'The version of the upload protocol is not supported.',
    next: 'Use TUS 1.0.0.',
  },
  'Orders:too-large': {
    means: 'The artifact is larger than the operator allows.',
    next: 'Ask the operator for a higher limit.',
  },
  'Orders:unsupported-content': {
    means: 'The type of the content is not supported.',
    next: 'Send the type that the message names.',
  },
  'Orders:range-not-satisfiable': {
    means: 'The range of a download is outside of the artifact.',
    next: 'Begin at an earlier byte.',
  },
  'Orders:invalid': {
    means: 'Fields of the request have values that they cannot have.',
    next: 'Correct what the message names; "npx chandlery service describe SERVICE" lists parameters.',
  },
  'Orders:controller-not-orderable': {
    means: 'Services of this model are used without an order.',
    next: 'See how with "npx chandlery service describe SERVICE".',
  },
  'Orders:upload-busy': { means: 'Another upload of the same artifact is in progress.', next: 'Wait for it to end.' },
  'Orders:ambiguous': { means: 'Several records are meant.', next: 'Name one by its id.' },
  'Orders:too-many-requests': {
    means: 'The landscape limits how fast it is called.',
    next: 'Try again in a moment; "npx chandlery status" shows whether the landscape is healthy.',
  },
  'Orders:internal': {
    means: 'The server failed unexpectedly.',
    next: "Look at the server's log, which has the details.",
  },
  'Orders:controller-unknown': {
    means: 'The service names a model that this landscape does not have.',
    next: 'Correct the $schema of its controller.',
  },
  'Orders:bad-gateway': { means: 'The service behind this address has failed.', next: 'See the logs of the order.' },
  'Orders:unavailable': {
    means: 'The server cannot answer now.',
    next: 'Try again in a moment; "npx chandlery status" shows whether the landscape is healthy.',
  },
  'Orders:process-not-ready': {
    means: 'The process of the service has not started yet.',
    next: 'Try again in a moment; "npx chandlery status" shows whether the landscape is healthy.',
  },
  'Orders:no-events': { means: 'Nothing happened in the time that was asked for.', next: 'Ask again.' },
  'Orders:gateway-timeout': {
    means: 'The service behind this address has not responded in time.',
    next: 'See the logs of the order.',
  },
  InvalidModel: { means: 'The model of a service is wrong.', next: 'Correct the controller of the service.' },
  NodesOffloaded: {
    means: 'The nodes of the workflow are stored elsewhere, where they cannot be read.',
    next: 'Store them in the Workflow: nodes are offloaded by another controller.',
  },
  'invalid-document': {
    means: 'A workflow cannot be read, or lacks what an execution needs.',
    next: 'Check it with "npx chandlery workflow lint -f FILE".',
  },
  'invalid-expression': {
    means: 'An expression, condition or path cannot be parsed.',
    next: 'Check it with "npx chandlery workflow lint -f FILE".',
  },
  'expression-failed': {
    means: 'An expression cannot be evaluated with these values.',
    next: 'Correct it, or the values that it uses.',
  },
  'expression-not-json': {
    means: 'The value of an expression is none that JSON can show.',
    next: 'Return text, a number, a list or an object.',
  },
  'expression-too-costly': { means: 'An expression exceeds its limit of steps or memory.', next: 'Simplify it.' },
  'unresolved-tag': {
    means: 'A tag refers to something that does not exist there.',
    next: 'Correct the name in {{…}}.',
  },
  'absent-value': { means: 'A value comes from a node that was skipped.', next: 'Give it a default.' },
  'invalid-command': {
    means: 'The command does not fit the state of the workflow.',
    next: 'See its state with "npx chandlery workflow get NAME".',
  },
  'id-collision': { means: 'Two node names of a workflow have the same id.', next: 'Rename one of the nodes.' },
  'cannot-run': {
    means: 'The container of a node cannot be executed.',
    next: 'See the message of the node with "npx chandlery workflow get NAME".',
  },
};
