import { ChandleryError } from '@chandlery/api';

/** The parts of an error of the REST API that are shown. None of them is certain to be there. */
interface ErrorBody {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly name?: unknown;
}

/** What to do about an error, by its code. */
const hints: Readonly<Record<string, string>> = {
  unauthenticated:
    'Sign in again with "npx chandlery login", or use a kubeconfig of this landscape (--kubeconfig), not of another one.',
  forbidden: 'A RoleBinding to ClusterRole orders-consumer in the namespace of the tenant allows it.',
  'namespace-required': 'Say which tenant is meant with --namespace.',
  'limit-exceeded': 'Remove what is no longer needed, or ask the operator of the landscape for a higher limit.',
  'not-found': 'See what there is with "npx chandlery service list" and "npx chandlery order list".',
  conflict: '"npx chandlery order describe ID" says how far it is.',
  'controller-not-orderable':
    'Services of this model are used without an order: "npx chandlery service describe SERVICE" says how.',
  'controller-unknown': 'The controller of the service names a model that this landscape does not have.',
  'artifact-complete': 'A complete artifact never changes: upload another one.',
  'artifact-not-ready': 'Its upload has not ended: "npx chandlery artifact put FILE --resume ID" continues it.',
  'too-large': 'The operator of the landscape limits the size of artifacts.',
  'upload-busy': 'Another upload of the same artifact is in progress: wait for it to end.',
  invalid:
    'Correct what is named and try again; "npx chandlery service describe SERVICE" lists the parameters of a service.',
  unavailable: 'Wait a little and try again; "npx chandlery status" says whether the landscape is well.',
};

/** In place of the hint for `not-found`, when it is the tenant that does not exist. */
const noTenantHint =
  'A tenant is a namespace of the cluster "onboarding", of a workspace project-PROJECT--ws-WORKSPACE: ' +
  'see "npx chandlery workspace list".';

/** The error that a failing response means. Its code is `Orders:` and the code of the REST API. */
export function errorOfAnswer(status: number, text: string): ChandleryError {
  const { message, code, name } = parseBody(text);
  const given = textOf(code) ?? (status === 401 ? 'unauthenticated' : String(status));
  const why = textOf(message) ?? whyOf(status, text);
  const field = textOf(name);
  const next = why.startsWith('namespaces "') ? noTenantHint : hints[given];
  return new ChandleryError(
    `Orders:${given}`,
    field === undefined || why.includes(field) ? why : `${field}: ${why}`,
    next === undefined ? {} : { hint: next },
  );
}

const whyOf = (status: number, text: string): string =>
  status === 401
    ? 'the landscape does not know who asks'
    : `the landscape answered ${status}: ${text.trim().slice(0, 200)}`;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function parseBody(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}
