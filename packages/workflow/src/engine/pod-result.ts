import type { Artifact, Outputs, Parameter } from '../document/parameters.ts';
import type { Template } from '../document/template.ts';
import type { NodePhase } from './node-status.ts';
import type { Ended } from './observations.ts';

export interface PodResult {
  readonly phase: NodePhase;
  readonly message: string | undefined;
  readonly outputs: Outputs | undefined;
}

/** What follows from the end of a pod: phase, message, outputs. */
export function podResultOf(template: Template, ended: Ended, captureResult: boolean): PodResult {
  const { outputs, missing } = readOutputs(template, ended);
  if (captureResult && ended.result !== undefined) outputs.result = trimNewline(ended.result);
  const exitCode = template.containerSet === undefined ? ended.exitCode : ended.containers?.['main'];
  if (exitCode !== undefined) outputs.exitCode = String(exitCode);
  const verdict = verdictOf(template, ended, missing);
  return { ...verdict, outputs };
}

function verdictOf(template: Template, ended: Ended, missing: string | undefined): Omit<PodResult, 'outputs'> {
  if (isFailed(template, ended)) return { phase: 'Failed', message: ended.message ?? failureMessage(template, ended) };
  if (missing !== undefined) return { phase: 'Error', message: missing };
  // A daemon is not meant to end.
  if (template.daemon === true) return { phase: 'Failed', message: ended.message };
  return { phase: 'Succeeded', message: ended.message };
}

const isFailed = (template: Template, ended: Ended): boolean =>
  ended.exitCode !== 0 || failedContainer(template, ended) !== undefined;

/** The first container of a set that failed, whether it is the main one or not. */
const failedContainer = ({ containerSet }: Template, { containers }: Ended) =>
  containerSet?.containers.find(({ name }) => (containers?.[name] ?? 0) !== 0);

function failureMessage(template: Template, ended: Ended): string {
  const { exitCode, containers, isOutOfMemory } = ended;
  const failed = failedContainer(template, ended);
  const code = failed === undefined ? exitCode : containers?.[failed.name];
  return `${failed?.name ?? 'main'}: ${isOutOfMemory === true ? 'OOMKilled' : 'Error'} (exit code ${code ?? exitCode})`;
}

function readOutputs(template: Template, ended: Ended): { outputs: Outputs; missing: string | undefined } {
  const outputs: Outputs = {};
  let missing: string | undefined;
  const parameters = (template.outputs?.parameters ?? []).flatMap(parameter => {
    const read = readParameter(parameter, ended);
    if (read === undefined) missing ??= noFile(parameter.valueFrom?.path);
    return read ?? [];
  });
  const artifacts = (template.outputs?.artifacts ?? []).flatMap(artifact => {
    const stored = ended.artifacts?.find(({ name }) => name === artifact.name);
    if (stored === undefined && artifact.optional !== true) missing ??= noFile(artifact.path);
    return stored === undefined ? [] : joinArtifact(artifact, stored);
  });
  if (parameters.length > 0) outputs.parameters = parameters;
  if (artifacts.length > 0) outputs.artifacts = artifacts;
  return { outputs, missing };
}

const noFile = (path: string | undefined): string =>
  `wait: Error (exit code 64): open ${path ?? ''}: no such file or directory`;

const joinArtifact = (declared: Artifact, stored: Artifact): Artifact => ({ ...declared, ...stored });

function readParameter(parameter: Parameter, { parameters }: Ended): Parameter | undefined {
  if (parameter.value !== undefined) return parameter;
  const content = parameters?.[parameter.name];
  const value = content === undefined ? parameter.valueFrom?.default : trimNewline(content);
  return value === undefined ? undefined : { ...parameter, value };
}

/** Removes one newline at the end. */
export const trimNewline = (text: string): string => (text.endsWith('\n') ? text.slice(0, -1) : text);
