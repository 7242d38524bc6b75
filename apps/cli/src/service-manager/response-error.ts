import { ChandleryError } from '@chandlery/api';
import type { SmErrorBody } from './sm-types.ts';

const wait = 'Wait a little and try again; "npx chandlery status" says whether the landscape is well.';
const follow = 'See with "npx chandlery operation list" whether it is in progress, then wait; or has failed, and why.';

/** What to do about an error, by its word. */
const hints: Readonly<Record<string, string>> = {
  NotFound: 'See what there is with the list commands: "npx chandlery help" names them.',
  ServicePlanNotFound: 'See what there is with "npx chandlery marketplace".',
  Conflict: 'Choose another name or id, or change what is there.',
  ExistingReferenceEntity: 'Delete the instances first: "npx chandlery instance list" shows them.',
  ConcurrentOperationInProgress: follow,
  OperationInProgress: `${follow} A service that starts has none: "npx chandlery binding create --wait" waits for it.`,
  UpdateOperationIsNotAllowed: 'Its creation failed: delete it and make it again.',
  BrokerError: 'Look at the broker and its log, then try again.',
  ServiceBrokerErr: 'See that the broker runs at its address and can be reached from the landscape, then try again.',
  TransferDisabled: 'The operator can allow it by the setting "enableInstanceTransfer" of the service manager.',
  InvalidTransfer: 'Instances can only be moved to the platform "service-manager".',
  ManualActionRequired: 'Look at the broker for what is left there, then delete by --force-delete.',
  TooManyRequests: wait,
  ServiceUnavailable: wait,
  Timeout: 'It may still be in progress: "npx chandlery operation list" shows it. Use --wait for long operations.',
};

/** The error that a failing answer of the service manager means. */
export function errorOfResponse(status: number, text: string): ChandleryError {
  const body = parseError(text);
  if (body === undefined) {
    const said = text.trim().slice(0, 200);
    return new ChandleryError('UnexpectedAnswer', `the service manager answered ${status}${said && `: ${said}`}`);
  }
  return errorOfBody(body);
}

/** An error body as an error, with what to do about it. */
export function errorOfBody(body: SmErrorBody): ChandleryError {
  const { error: code = 'InternalError' } = body;
  const hint = tenantHint(body) ?? bindingsHint(body) ?? cascadeHint(body) ?? requestHint(body) ?? hints[code];
  return new ChandleryError(code, sentenceOf(body), hint === undefined ? {} : { hint });
}

/** What went wrong, and what the sentence does not say yet: the field, the broker, who is meant. */
export function sentenceOf({
  error = '',
  description = '',
  field,
  broker,
  broker_status,
  ids = [],
}: SmErrorBody): string {
  const said = inTermsOfFlags(description, field);
  const sentence = said === '' ? error || 'the service manager did not say why' : said;
  const isMissing = (text: string): boolean => !sentence.includes(text);
  const facts = [
    field !== undefined && isMissing(field) ? `field ${field}` : '',
    broker !== undefined && isMissing(broker) ? `broker ${broker}` : '',
    broker_status !== undefined && isMissing(String(broker_status)) ? `the broker answered ${broker_status}` : '',
    ids.some(isMissing) ? `id ${ids.join(', ')}` : '',
  ].filter(fact => fact !== '');
  return facts.length === 0 ? sentence : `${sentence} (${facts.join('; ')})`;
}

/** The server speaks of its headers, queries and fields. */
const inTermsOfFlags = (description: string, field: string | undefined): string =>
  description
    .replace(', by the header X-Chandlery-Tenant', '')
    .replace('cascade=true', '--cascade')
    .replace(/^found conflicting (.+)$/, (whole, noun) =>
      field === 'name' || field === undefined ? `there is a ${noun} of this name already` : whole,
    );

const tenantHint = ({ description = '' }: SmErrorBody): string | undefined =>
  description.includes('X-Chandlery-Tenant') ? 'Say it with -n NAME.' : undefined;

/** A platform does not go before its instances. */
const cascadeHint = ({ description = '' }: SmErrorBody): string | undefined =>
  description.includes('cascade=true')
    ? 'Delete the instances first ("npx chandlery instance list" shows them), or all with it by --cascade.'
    : undefined;

/** An instance does not go before its bindings. */
const bindingsHint = ({ description = '' }: SmErrorBody): string | undefined =>
  description.includes('existing bindings')
    ? 'Delete them first with "npx chandlery binding delete INSTANCE BINDING", or all with it by --force-delete, whatever the broker says.'
    : undefined;

/** The broker says that the request is wrong: it is well itself. */
const requestHint = ({ error, broker_status: status }: SmErrorBody): string | undefined =>
  error === 'BrokerError' && status === 400 ? 'Correct what the broker names, and try again.' : undefined;

function parseError(text: string): SmErrorBody | undefined {
  try {
    const body = JSON.parse(text) as SmErrorBody | null;
    return typeof body?.error === 'string' ? body : undefined;
  } catch {
    return undefined;
  }
}
