import { siteHostOf } from '../../../kinds/index.ts';
import { withoutUndefined } from '../../../model/bodies/body-fields.ts';
import { controllerSchemaOf } from '../../../model/schema-names.ts';
import { controllerOf, workflowOf } from '../../../model/services/convert-workflow.ts';
import { accountUrn, openPolicy, urnOf } from '../../../model/urns.ts';
import type { Version } from '../../../registry/orders-registry.ts';
import type { Call } from '../call.ts';
import type { KnownModels } from '../handler-deps.ts';
import { hrefOf, type Link, link } from '../links.ts';

type Service = Version<'services'>;

/** `error`: the service cannot be executed, because its controller names no schema. */
export const serviceStatus = ({ spec }: Pick<Service, 'spec'>): 'active' | 'error' =>
  controllerSchemaOf(controllerOf(spec)) === undefined ? 'error' : 'active';

/** The schema of the controller as the author spelt it. */
export function givenSchema({ spec }: Pick<Service, 'spec'>): string | undefined {
  const schema = controllerOf(spec)?.['$schema'];
  return spec.controllerSchema ?? (typeof schema === 'string' ? schema : undefined);
}

/** A service as a record of generation 2. */
export function presentService2(service: Service, call: Call, models: KnownModels): object {
  const { spec } = service;
  return withoutUndefined({
    $schema: 'urn:ivcap:schema:service.2',
    ...presentCommon(service),
    'request-schema': spec.requestSchema,
    contact: spec.contact,
    license: spec.license,
    'controller-schema': givenSchema(service),
    controller: controllerOf(spec),
    'valid-from': service.updatedAt,
    'valid-to': service.validTo,
    links: [link('self', hrefOf(call, 'service', service.id)), ...usageLinks(service, call, models)],
  });
}

/** Where a service is used: where jobs are sent, its process is reached, or its site is. None for an unknown model. */
function usageLinks({ id, spec }: Service, call: Call, models: KnownModels): readonly Link[] {
  const model = models.find(controllerOf(spec));
  if (model === undefined) return [];
  const href = hrefOf(call, 'service', id);
  const host = siteHostOf(spec);
  const { orderable, acceptsJobs = orderable } = model;
  return [
    ...(acceptsJobs ? [link('jobs', `${href}/jobs`)] : []),
    ...(model.hosting?.takes === 'requests' ? [{ rel: 'proxy', type: '*/*', href: `${href}/proxy/` }] : []),
    ...(host === undefined ? [] : [{ rel: 'site', type: 'text/html', href: `https://${host}/` }]),
  ];
}

/** A service as a record of generation 1, which knows basic and Argo workflows only. */
export const presentService1 = (service: Service, call: Call): object =>
  withoutUndefined({
    ...presentCommon(service),
    workflow: workflowOf(service.spec),
    links: [link('self', hrefOf(call, 'service', service.id, 'services'))],
  });

function presentCommon(service: Service): object {
  const { id, tenant, spec } = service;
  return {
    ...spec.extra,
    id: urnOf('service', id),
    name: spec.name,
    description: spec.description,
    tags: spec.tags,
    parameters: spec.parameters ?? [],
    policy: spec.policy ?? openPolicy.service,
    banner: spec.banner,
    references: spec.references,
    account: accountUrn(tenant),
    status: serviceStatus(service),
  };
}

/** A service in a list of generation 2. */
export const presentItem2 = (service: Service, call: Call, score: number | undefined): object =>
  withoutUndefined({
    id: urnOf('service', service.id),
    name: service.spec.name,
    description: service.spec.description,
    tags: service.spec.tags,
    'controller-schema': givenSchema(service),
    href: hrefOf(call, 'service', service.id),
    'valid-from': service.updatedAt,
    'valid-to': service.validTo,
    score,
  });

/** A service in a list of generation 1. */
export const presentItem1 = (service: Service, call: Call): object =>
  withoutUndefined({
    id: urnOf('service', service.id),
    name: service.spec.name,
    description: service.spec.description,
    banner: service.spec.banner,
    policy: service.spec.policy,
    'published-at': service.createdAt,
    account: accountUrn(service.tenant),
    href: hrefOf(call, 'service', service.id, 'services'),
  });
