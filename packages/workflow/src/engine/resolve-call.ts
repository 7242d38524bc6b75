import type { Arguments, Artifact } from '../document/parameters.ts';
import type { TemplateCall } from '../document/template.ts';
import { messageOf, WorkflowError } from '../errors.ts';
import { evaluateWhen } from '../expressions/index.ts';
import { absentArgument } from '../template/bind-arguments.ts';
import { evaluateInScope } from '../template/expression-tag.ts';
import { plainText } from '../template/inert.ts';
import type { Scope } from '../template/scope.ts';
import { substitute, substituteText } from '../template/substitute.ts';
import { isLoop } from './loop.ts';
import { artifactAt } from './node-values.ts';

/** References to other nodes must be there. */
const strict = ['tasks', 'steps'] as const;

/**
 * A step or task with its references replaced. The condition is tested first, and of one that is not executed nothing else
 * is resolved. Hooks stay as they are: they may refer to the node itself.
 */
export function resolveCall<T extends TemplateCall>(call: T, scope: Scope, resolve = resolveArtifacts): T {
  const { hooks, ...body } = call;
  const when = call.when === undefined ? undefined : substituteText(call.when, scope, strict);
  if (when !== undefined && isSkipped(when, isLoop(call))) return { ...call, when };
  const marked = { ...body, arguments: markAbsent(call.arguments ?? {}, scope) };
  const resolved = substitute(marked, scope, strict);
  const withArtifacts = { ...resolved, arguments: resolve(resolved.arguments, scope) };
  return (hooks === undefined ? withArtifacts : { ...withArtifacts, hooks }) as T;
}

/** A condition that cannot be evaluated yet may need the item of a loop. */
function isSkipped(when: string, mayNeedItem: boolean): boolean {
  try {
    return !evaluateWhen(plainText(when));
  } catch (error) {
    if (mayNeedItem) return false;
    throw error;
  }
}

/** Arguments that are just a reference to an output that is absent count as not given. */
export function markAbsent(given: Arguments, scope: Scope): Arguments {
  const { parameters } = given;
  if (parameters === undefined) return given;
  const marked = parameters.map(parameter => {
    const [, key] = /^\{\{\s*([^{}]+?)\s*\}\}$/.exec(parameter.value ?? '') ?? [];
    return key !== undefined && scope.get(key) === null ? { ...parameter, value: absentArgument } : parameter;
  });
  return { ...given, parameters: marked };
}

/** Replaces references to artifacts by what they refer to. Optional ones that are not there are left out. */
export function resolveArtifacts(given: Arguments, scope: Scope): Arguments {
  if (given.artifacts === undefined) return given;
  const artifacts = given.artifacts.flatMap(artifact => {
    if (!isReference(artifact)) return [artifact];
    const found = resolveArtifact(artifact, scope);
    return found === undefined ? [] : [{ ...found, name: artifact.name }];
  });
  return { ...given, artifacts };
}

/** Like {@link resolveArtifacts}, with the message that Argo gives for steps and hooks. */
export function resolveStepArtifacts(given: Arguments, scope: Scope): Arguments {
  try {
    return resolveArtifacts(given, scope);
  } catch (error) {
    const message = `unable to resolve references: ${messageOf(error)}`;
    throw new WorkflowError('unresolved-tag', message, { cause: error });
  }
}

export const isReference = ({ from, fromExpression }: Artifact): boolean =>
  (from ?? '') !== '' || (fromExpression ?? '') !== '';

/** The artifact that another one refers to; undefined when it is optional and does not exist. */
export function resolveArtifact(artifact: Artifact, scope: Scope): Artifact | undefined {
  const found = findArtifact(artifact, scope);
  if (found === undefined) {
    if (artifact.optional === true) return undefined;
    throw new WorkflowError('unresolved-tag', `Unable to resolve: "${nameOf(artifact)}"`);
  }
  const subPath = artifact.subPath;
  if (subPath === undefined || subPath === '') return found;
  return { ...found, subPath: substituteText(subPath, scope) };
}

const nameOf = ({ from, fromExpression }: Artifact): string =>
  (from ?? fromExpression ?? '').replace(/^\{\{\s*|\s*\}\}$/g, '');

function findArtifact({ from, fromExpression }: Artifact, scope: Scope): Artifact | undefined {
  const source = fromExpression ?? '';
  if (source === '') return artifactAt(scope, from ?? '');
  let value: unknown;
  try {
    value = evaluateInScope(source, scope);
  } catch (error) {
    throw new WorkflowError('expression-failed', messageOf(error), { cause: error });
  }
  if (value === undefined || value === null) return undefined;
  const isArtifact = typeof value === 'object' && 'name' in value;
  if (!isArtifact) throw new WorkflowError('expression-failed', `Variable {{${source}}} is not an artifact`);
  return value as Artifact;
}
