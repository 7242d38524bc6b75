import { hash } from 'node:crypto';
import { ChandleryError, isError } from '@chandlery/api';
import { apply, ownerReference, type Step, type StepResult, setCondition } from '@chandlery/runtime';
import { fieldManager, objectName } from '../broker-object.ts';
import { type ServiceBroker, type ServiceClass, serviceClasses } from '../kinds.ts';
import type { ServicesDeps } from './services-deps.ts';

type CatalogStep = Step<ServiceBroker, ServicesDeps>;

interface CatalogPlan {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly free?: boolean;
  readonly bindable?: boolean;
  readonly maximum_polling_duration?: number;
}

interface CatalogOffering {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly bindable?: boolean;
  readonly bindings_retrievable?: boolean;
  readonly plans?: readonly CatalogPlan[];
}

/** Fetches the catalog of a broker and shows it as classes. */
export const showCatalog: CatalogStep = async (broker, deps, { now }): Promise<StepResult> => {
  const { client, brokers, serviceClasses: known } = deps;
  const call = await brokers.open(broker);
  const response = await call({ path: '/v2/catalog' });
  if (response.status !== 200) {
    const why = response.status === 'lost' ? response.message : `the broker answered ${response.status}`;
    setCondition(broker, { type: 'Ready', status: 'False', reason: 'CatalogUnavailable', message: why }, now);
    throw new ChandleryError('CatalogUnavailable', `cannot fetch the catalog: ${why}`);
  }
  const { services = [] } = response.json as { services?: readonly CatalogOffering[] };
  const classes = services.map(offering => classOf(broker, offering));
  for (const { status, ...object } of classes) {
    const [applied] = await apply(client, fieldManager, [{ plural: serviceClasses.plural, object }]);
    const ref = { ...serviceClasses.ref, name: object.metadata.name ?? '', subresource: 'status' };
    const body = { ...object, metadata: { name: applied?.metadata.name ?? '' }, status };
    await client.patch(ref, { type: 'apply', body, force: true }, { fieldManager });
  }
  const names = new Set(classes.map(({ metadata }) => metadata.name));
  const surplus = known
    .list()
    .filter(({ spec, metadata }) => spec.broker === broker.metadata.name && !names.has(metadata.name));
  for (const { metadata } of surplus)
    await removed(client.delete({ ...serviceClasses.ref, name: metadata.name ?? '' }));
  setCondition(broker, { type: 'Ready', status: 'True', reason: 'CatalogFetched' }, now);
  return 'continue';
};

/** A broker stays as long as instances need it, and so do its credentials; nothing more can be ordered from it. */
export const releaseBroker: CatalogStep = async (broker, deps, { now }): Promise<StepResult> => {
  const { client, serviceInstances } = deps;
  const own = deps.serviceClasses.list().filter(({ spec }) => spec.broker === broker.metadata.name);
  for (const { metadata } of own) await removed(client.delete({ ...serviceClasses.ref, name: metadata.name ?? '' }));
  const users = serviceInstances
    .list()
    .filter(({ status }) => status?.broker === broker.metadata.name && status?.platformRemoved !== true);
  if (users.length > 0) {
    const message = `${users.length} service instances still exist`;
    setCondition(broker, { type: 'Ready', status: 'False', reason: 'InUse', message }, now);
    return 'stop';
  }
  const { name, namespace } = secretRefOf(broker) ?? {};
  if (name !== undefined && namespace !== undefined && !isSecretShared(broker, deps))
    await removed(client.delete({ group: '', version: 'v1', plural: 'secrets', namespace, name }));
  return 'continue';
};

const secretRefOf = ({ spec }: ServiceBroker) => spec.authInfo?.basic?.secretRef;

/** Whether a renamed broker has an object of another name with the same credentials. */
const isSecretShared = (broker: ServiceBroker, { serviceBrokers }: ServicesDeps): boolean =>
  serviceBrokers
    .list()
    .some(
      other => other.metadata.uid !== broker.metadata.uid && secretRefOf(other)?.name === secretRefOf(broker)?.name,
    );

function classOf(broker: ServiceBroker, offering: CatalogOffering): ServiceClass {
  const { id, name, description, plans = [], bindings_retrievable = false } = offering;
  const brokerName = broker.metadata.name ?? '';
  // Several brokers may offer something of the same name.
  const suffix = hash('sha256', JSON.stringify([brokerName, id])).slice(0, 8);
  const object = serviceClasses.object(
    { name: objectName(`${name}-${suffix}`), ownerReferences: [ownerReference(broker)] },
    { offering: name, offeringId: id, broker: brokerName, ...(description === undefined ? {} : { description }) },
  );
  const status = {
    planNames: plans.map(plan => plan.name).join(','),
    plans: plans.map(plan => shownPlan(plan, offering)),
    bindingsRetrievable: bindings_retrievable,
  };
  return { ...object, status };
}

const shownPlan = (
  { id, name, description, free, bindable, maximum_polling_duration }: CatalogPlan,
  offering: CatalogOffering,
) => ({
  id,
  name,
  free: free ?? true,
  bindable: bindable ?? offering.bindable ?? false,
  ...(description === undefined ? {} : { description }),
  ...(maximum_polling_duration ? { maximumPollingSeconds: maximum_polling_duration } : {}),
});

async function removed(deletion: Promise<unknown>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
}
