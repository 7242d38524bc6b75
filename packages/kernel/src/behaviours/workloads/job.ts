import { type ErrorCause, fieldCause, type KubeObject, type LabelSelectorObject } from '@chandlery/api';
import type { Behaviour } from '../behaviour.ts';
import { immutableCauses, isSame } from './checks.ts';
import { withNoNodeReport } from './no-nodes.ts';
import type { PodTemplate } from './objects.ts';
import { matchCauses, readSelector, templateCauses } from './template-rules.ts';

/** What a job is to be; also inside a cron job. */
export interface JobSpec {
  selector?: { matchLabels?: Record<string, string> } & LabelSelectorObject;
  manualSelector?: boolean;
  template?: PodTemplate;
  completions?: number;
  parallelism?: number;
  completionMode?: string;
  suspend?: boolean;
  podFailurePolicy?: unknown;
}

interface Job extends KubeObject {
  spec?: JobSpec;
  status?: { startTime?: string };
}

const uidLabel = 'batch.kubernetes.io/controller-uid';
const uidLabels = [uidLabel, 'controller-uid'] as const;
const nameLabels = ['batch.kubernetes.io/job-name', 'job-name'] as const;

const jobRules: Behaviour = {
  prepareCreate(object) {
    const job = object as Job;
    if (job.spec?.manualSelector !== true) generateSelector(job);
    const labels = job.spec?.template?.metadata?.labels ?? {};
    if (Object.keys(job.metadata.labels ?? {}).length === 0) job.metadata.labels = { ...labels };
  },
  validate(object) {
    const { spec = {}, metadata } = object as Job;
    return [...jobSpecCauses('spec', spec), ...ownSelectorCauses(spec, metadata.uid ?? '')];
  },
  validateUpdate: (object, live) => keptCauses(object, live),
};

/**
 * Jobs select their pods by the job's own UID by default. A job on a cluster without nodes is suspended; the controller
 * that comes with a node resumes it.
 */
export const jobBehaviour = withNoNodeReport(jobRules, {
  condition: { type: 'Suspended', status: 'True' },
  wantsPods: object => (object as Job).spec?.suspend !== true && ((object as Job).spec?.parallelism ?? 1) > 0,
});

/** Adds what is missing only; a label of the user's that says something else is rejected later. */
function generateSelector({ spec, metadata }: Job): void {
  if (spec?.template === undefined || spec.template === null) return;
  const uid = metadata.uid ?? '';
  const named = nameLabels.map(key => [key, metadata.name ?? ''] as const);
  const identity: Record<string, string> = Object.fromEntries([...named, ...uidLabels.map(key => [key, uid] as const)]);
  const { template } = spec;
  template.metadata = {
    ...template.metadata,
    labels: { ...identity, ...template.metadata?.labels },
  };
  spec.selector = { ...spec.selector, matchLabels: { [uidLabel]: uid, ...spec.selector?.matchLabels } };
}

/** What holds for a job and for the jobs of a cron job. */
export function jobSpecCauses(field: string, spec: JobSpec): ErrorCause[] {
  const { template } = spec;
  if (template === undefined || template === null) return [fieldCause.required(`${field}.template`)];
  const causes = templateCauses(`${field}.template`, template);
  const policy = template.spec?.restartPolicy;
  const policyField = `${field}.template.spec.restartPolicy`;
  if (policy !== 'OnFailure' && policy !== 'Never')
    causes.push(fieldCause.required(policyField, 'valid values: "OnFailure", "Never"'));
  if (policy === 'OnFailure' && (spec.podFailurePolicy ?? undefined) !== undefined) {
    causes.push(
      fieldCause.invalid(policyField, policy, 'only "Never" is supported when podFailurePolicy is specified'),
    );
  }
  if (spec.completionMode === 'Indexed' && (spec.completions ?? undefined) === undefined) {
    causes.push(fieldCause.required(`${field}.completions`, 'when completion mode is Indexed'));
  }
  return causes;
}

function ownSelectorCauses({ selector, template, manualSelector }: JobSpec, uid: string): readonly ErrorCause[] {
  const field = 'spec.selector';
  if (selector === undefined || selector === null) return [fieldCause.required(field)];
  const read = readSelector(field, selector);
  if (!('requirements' in read)) return read;
  const isOwn = selector.matchLabels?.[uidLabel] === uid || selector.matchLabels?.['controller-uid'] === uid;
  if (manualSelector !== true && !isOwn) return [fieldCause.invalid(field, selector, '`selector` not auto-generated')];
  return matchCauses(read, template);
}

const keptFields = [
  'selector',
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
] as const;

function keptCauses(job: Job, live: Job): ErrorCause[] {
  const [spec, before] = [job.spec ?? {}, live.spec ?? {}];
  const [fields, fieldsBefore] = [spec as Record<string, unknown>, before as Record<string, unknown>];
  return [
    ...completionsCauses(spec, before),
    ...keptFields.flatMap(name => immutableCauses(`spec.${name}`, fields[name], fieldsBefore[name])),
    ...keptTemplateCauses(spec.template, before.template, isWaiting(live)),
  ];
}

/** Indexed jobs are elastic: they grow and shrink as long as all indexes run at once. */
function completionsCauses(spec: JobSpec, before: JobSpec): ErrorCause[] {
  if (isSame(spec.completions, before.completions)) return [];
  const isElastic = spec.completionMode === 'Indexed' && (spec.completions ?? undefined) !== undefined;
  if (!isElastic) return immutableCauses('spec.completions', spec.completions, before.completions);
  if (spec.completions === spec.parallelism && before.completions === before.parallelism) return [];
  const why = 'can only be modified in tandem with spec.parallelism';
  return [fieldCause.invalid('spec.completions', spec.completions, why)];
}

/** Where pods go may be changed until the first one was made. */
const isWaiting = ({ spec, status }: Job): boolean =>
  spec?.suspend === true && (status?.startTime ?? undefined) === undefined;
const placement = ['nodeSelector', 'affinity', 'tolerations', 'schedulingGates'] as const;

function keptTemplateCauses(
  template: PodTemplate | undefined,
  before: PodTemplate | undefined,
  isFree: boolean,
): ErrorCause[] {
  const [left, right] = isFree ? [withoutPlacement(template), withoutPlacement(before)] : [template, before];
  return isSame(left, right) ? [] : [fieldCause.invalid('spec.template', template ?? null, 'field is immutable')];
}

function withoutPlacement(template: PodTemplate | undefined): unknown {
  const { metadata: _metadata, spec, ...rest } = template ?? {};
  const kept = Object.entries(spec ?? {}).filter(([name]) => !(placement as readonly string[]).includes(name));
  return { ...rest, spec: Object.fromEntries(kept) };
}
