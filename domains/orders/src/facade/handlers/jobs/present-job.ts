import { withoutUndefined } from '../../../model/bodies/body-fields.ts';
import { isJsonType } from '../../../model/jobs/request-parameters.ts';
import { columnsOf } from '../../../model/lists/list-column.ts';
import { accountUrn, openPolicy, urnOf } from '../../../model/urns.ts';
import { indexTerm, type OrdersRegistry, type Version } from '../../../registry/orders-registry.ts';
import { presentArtifactItem } from '../artifacts/present-artifact.ts';
import type { Call } from '../call.ts';
import { link } from '../links.ts';

type Job = Version<'jobs'>;

export const jobColumns = columnsOf<Job>({
  text: {
    id: ({ id }) => urnOf('job', id),
    name: ({ spec }) => spec.name,
    order: ({ spec }) => spec.order,
    service: ({ spec }) => spec.service,
    status: ({ status }) => status.status,
    account: ({ tenant }) => accountUrn(tenant),
  },
  time: {
    'created-at': ({ createdAt }) => createdAt,
    'requested-at': ({ status, createdAt }) => status.requestedAt ?? createdAt,
    'started-at': ({ status }) => status.startedAt,
    'finished-at': ({ status }) => status.finishedAt,
  },
});

/** The address of a job. */
export const jobHref = ({ origin }: Pick<Call, 'origin'>, { id, spec }: Pick<Job, 'id' | 'spec'>): string =>
  `${origin}/1/services2/${spec.service}/jobs/${urnOf('job', id)}`;

/** A job in a list. */
export const presentJobItem = (job: Job, call: Call): object =>
  withoutUndefined({
    id: urnOf('job', job.id),
    href: jobHref(call, job),
    name: job.spec.name,
    status: job.status.status ?? 'pending',
    order: job.spec.order,
    service: job.spec.service,
    account: accountUrn(job.tenant),
    'requested-at': job.status.requestedAt ?? job.createdAt,
    'started-at': job.status.startedAt,
    'finished-at': job.status.finishedAt,
  });

export interface JobContents {
  readonly hasRequest: boolean;
  readonly hasResult: boolean;
}

/** A job as a record. Content that is long or no text is at its own address. */
export function presentJob(
  job: Job,
  call: Call,
  { artifacts, hasRequest, hasResult }: JobContents & Pick<OrdersRegistry, 'artifacts'>,
): object {
  const { spec, status } = job;
  const order = spec.order?.slice(urnOf('order', '').length) ?? '';
  return withoutUndefined({
    ...presentJobItem(job, call),
    href: undefined,
    tags: spec.tags,
    policy: spec.policy ?? openPolicy.service,
    'request-content-type': spec.requestContentType,
    'request-content': hasRequest ? contentOf(spec.requestContentType, spec.requestContent) : undefined,
    'result-content-type': status.resultContentType,
    'result-content': hasResult ? contentOf(status.resultContentType ?? '', status.resultContent) : undefined,
    'result-content-urn': status.resultArtifact,
    'error-message': status.errorMessage,
    products: {
      items: [...artifacts.by('producer', indexTerm(job.tenant, order))].map(artifact =>
        presentArtifactItem(artifact, call),
      ),
      links: [],
    },
    links: [
      link('self', jobHref(call, job)),
      { rel: 'output', type: status.resultContentType ?? '*/*', href: `${jobHref(call, job)}/output` },
    ],
  });
}

function contentOf(type: string, content: string | undefined): unknown {
  if (content === undefined || !isJsonType(type)) return content;
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}
