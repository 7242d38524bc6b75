import { ChandleryError, isError } from '@chandlery/api';
import { respondingApi } from '@chandlery/client';
import type { Command, CommandContext, Right } from '../command.ts';
import { clusterOfServer, contextConnectionOf } from '../landscape/connect.ts';
import { findKind } from '../resources/discover.ts';
import { openScope } from '../resources/scope.ts';
import { missingRights, rightText } from './missing-rights.ts';
import { whomToAsk } from './whom-to-ask.ts';

const refusals = ['Forbidden', 'Orders:forbidden'] as const;
const absences = ['NotFound', 'ServicePlanNotFound', 'Orders:not-found'] as const;

/**
 * Names the right that is missing, the cluster, and whom to ask for it. APIs hide what the caller may not read as if it
 * did not exist: where the rights of the command are missing, the error says so.
 */
export async function explainForbidden(context: CommandContext, command: Command, thrown: unknown): Promise<unknown> {
  // A command that knows better what to do says so in its hint.
  const isExplained = isError(thrown, 'Forbidden') && thrown.hint !== undefined;
  if (isError(thrown, ...refusals) && !isExplained) return explainRefusal(context, command, thrown);
  if (!isError(thrown, ...absences)) return thrown;
  const hidden = await rightsOf(context, command)
    .then(rights => hiddenBy(context, rights))
    .catch(() => undefined);
  return hidden === undefined ? thrown : withHint(context, thrown, hidden);
}

/** What the caller must be able to read: as the command says, or by the KIND/NAME of its argument. */
async function rightsOf(context: CommandContext, { rights }: Command): Promise<readonly Right[]> {
  const [word = ''] = context.args;
  const [kind = '', name] = word.split('/');
  if (rights !== undefined || name === undefined) return rights ?? [];
  await using scope = await openScope(context);
  const { ref } = findKind(kind, scope.kinds);
  return [{ verb: 'list', group: ref.group, resource: ref.plural }];
}

interface Hidden {
  readonly sentence: string;
  /** Undefined when the caller is in no workspace. */
  readonly namespace: string | undefined;
}

const makeWorkspace =
  'Create a workspace ("npx chandlery project create NAME", "npx chandlery workspace create NAME --project PROJECT"), ' +
  'or ask an administrator of one to add you.';

/** Who can give the rights, or how to get a place in which one has them. */
const remedyOf = (context: CommandContext, { namespace }: Hidden): Promise<string> | string =>
  namespace === undefined ? makeWorkspace : whomToAsk(context, { cluster: clusterOf(context), namespace });

/** The rights of a command that the caller lacks; undefined when there are none. */
export async function hiddenBy(context: CommandContext, rights: readonly Right[] = []): Promise<Hidden | undefined> {
  if (rights.length === 0) return undefined;
  const { missing, namespaces } = await missingRights(context, rights);
  if (missing.length === 0) return undefined;
  const where =
    namespaces.length === 0 ? 'any namespace (you are in no workspace)' : `namespace ${namespaces.join(', ')}`;
  const sentence = `you may not ${missing.map(rightText).join(', nor ')} in ${where} on cluster "${clusterOf(context)}"`;
  return { sentence, namespace: namespaces[0] };
}

/** A line that says why a list is empty; undefined when no rights are missing. */
export async function hiddenNote(
  context: CommandContext,
  rights: readonly Right[] | undefined,
): Promise<string | undefined> {
  const hidden = await hiddenBy(context, rights).catch(() => undefined);
  return hidden && `Note: ${hidden.sentence}. ${await remedyOf(context, hidden)}\n`;
}

async function withHint(context: CommandContext, cause: ChandleryError, hidden: Hidden): Promise<ChandleryError> {
  const hint = await remedyOf(context, hidden);
  return new ChandleryError('Forbidden', `${cause.message}; ${hidden.sentence}`, { hint, cause });
}

async function explainRefusal(
  context: CommandContext,
  command: Command,
  error: ChandleryError,
): Promise<ChandleryError> {
  const cluster = clusterOfServer(respondingApi(error) ?? '') ?? clusterOf(context);
  const hidden = / in the namespace "|at the cluster scope/.test(error.message)
    ? undefined
    : await hiddenBy(context, command.rights).catch(() => undefined);
  const namespace = namespaceIn(error.message) ?? hidden?.namespace;
  const isNowhere = hidden !== undefined && namespace === undefined;
  const hint = isNowhere ? makeWorkspace : await whomToAsk(context, { cluster, namespace, project: projectIn(error) });
  const rights = hidden === undefined ? '' : `; ${hidden.sentence}`;
  const place = error.message.includes(`cluster "${cluster}"`) || hidden !== undefined ? '' : ` (cluster "${cluster}")`;
  return new ChandleryError(error.code, `${error.message}${rights}${place}`, {
    hint,
    details: error.details,
    cause: error,
  });
}

/** The cluster that holds the objects of tenants, for this caller: that of the context. */
const clusterOf = (context: CommandContext): string =>
  clusterOfServer(contextConnectionOf(context).server) ?? 'of the kubeconfig';

const namespaceIn = (message: string): string | undefined =>
  /in (?:the )?(?:namespace|tenant) "?([a-z0-9-]+)"?/.exec(message)?.[1];

/** Projects are cluster-scoped: the right is on one of them by name. */
const projectIn = ({ details: { kind, name }, message }: ChandleryError): string | undefined =>
  kind === 'projects' && name !== undefined && !/cannot create/.test(message) ? name : undefined;
