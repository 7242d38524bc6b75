import { ChandleryError } from '@chandlery/api';

/** Something wrong with a document, at a place. */
export interface DocumentProblem {
  readonly path: string;
  readonly message: string;
}

/** The parts of an error of the fleet manager that are shown. None of them is certain to be there. */
interface ErrorBody {
  readonly id?: unknown;
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly hint?: unknown;
  readonly detail?: unknown;
  readonly problems?: unknown;
}

const quota = 'See what there is with "npx chandlery fleet quota".';
const configuration = 'docs/fleet.md says where the configuration names what can be ordered.';

/** What to do about an error, by its number in the catalogue, or by its detail where one number has several meanings. */
const hints: Readonly<Record<string, string>> = {
  4: 'The product does not serve this user; its configuration says whom it does (deny_list, allow_trial_instances).',
  5: quota,
  7: 'See what there is with "npx chandlery fleet instance list" and "npx chandlery fleet cluster list".',
  11: "Use the admin.kubeconfig in the landscape's data folder.",
  12: 'The user has to accept the terms of the product first.',
  15: 'The product may accept tokens of other issuers only: give one of a user with --token-file.',
  18: 'The organisation is not on the access list of the product.',
  24: 'See what has room with "npx chandlery fleet cluster list", or choose another region.',
  TrialLimit: 'Delete the trial of the user, or give the organisation quota: docs/fleet.md says how.',
  30: configuration,
  31: configuration,
  32: 'A name begins with a letter and consists of lower-case letters, digits and "-".',
  36: 'Choose another name, or see what there is with "npx chandlery fleet instance list".',
  41: configuration,
  42: configuration,
  120: quota,
  503: 'Wait a little and try again; "npx chandlery status" says whether the landscape is well.',
};

/** An error of the fleet manager. */
export class FleetAnswerError extends ChandleryError {
  /** What is wrong with a document; empty for other errors. */
  readonly problems: readonly DocumentProblem[];

  constructor(
    code: string,
    message: string,
    more: { readonly hint?: string; readonly problems: readonly DocumentProblem[] },
  ) {
    super(code, message, more.hint === undefined ? {} : { hint: more.hint });
    this.problems = more.problems;
  }
}

/** The error of a failed response. */
export function errorOfAnswer(status: number, text: string): FleetAnswerError {
  const { id, code, reason, hint, detail, problems } = parseBody(text);
  const number = textOf(id) ?? String(status);
  const why = textOf(reason) ?? `the landscape answered ${status}: ${text.trim().slice(0, 200)}`;
  const next = textOf(hint) ?? hints[textOf(detail) ?? ''] ?? hints[number];
  const name = textOf(code);
  return new FleetAnswerError(`Fleet${number}`, name === undefined ? why : `${why} [${name}]`, {
    ...(next === undefined ? {} : { hint: next }),
    problems: Array.isArray(problems) ? (problems as DocumentProblem[]) : [],
  });
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function parseBody(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}
