import { toError } from '@chandlery/api';
import type { AzureResource } from '../../../kinds/clouds/azure-resource.ts';
import type { AccountReader, AccountReading } from '../../../ports/clouds.ts';
import { cloudError } from '../cloud-errors.ts';
import { apiUrl } from '../cloud-http.ts';
import type { CallJson } from '../json-api.ts';
import {
  type ArmInterface,
  type ArmMachine,
  type ArmPublicAddress,
  type ArmScaleSet,
  type AzureInventory,
  type AzureLists,
  joinInventory,
  keyOfId,
  tagsOf,
} from './azure-inventory.ts';

type Spec = AzureResource['spec'];

export interface AzureReaderOptions {
  readonly subscriptionId: string;
  readonly api: CallJson;
  /** Of a test server. Default: that of Azure. */
  readonly endpoint?: string;
}

const apiHost = 'management.azure.com';
const computeVersion = '2024-07-01';
const networkVersion = '2024-05-01';
/** Networks of scale sets belong to the provider of computers, which rejects the versions of that of networks. */
const scaleSetNetworkVersion = '2018-10-01';
/** A server that pages without end is cut off. */
const maxPages = 1000;

/** Reads the machines of a subscription: virtual machines, and instances of the scale sets that its resources name. */
export class AzureReader implements AccountReader<AzureInventory> {
  readonly #options: AzureReaderOptions;

  constructor(options: AzureReaderOptions) {
    this.#options = options;
  }

  async read(resources: readonly Spec[], signal: AbortSignal): Promise<AccountReading<AzureInventory>> {
    await this.#verifySubscription(signal);
    if (resources.length === 0) return { inventory: joinInventory(nothing) };
    const isPublic = resources.some(({ address }) => address === 'public');
    const [machines, states, scaleSets, interfaces, publicAddresses] = await Promise.all([
      this.#list<ArmMachine>('Microsoft.Compute/virtualMachines', computeVersion, signal),
      this.#list<ArmMachine>('Microsoft.Compute/virtualMachines', computeVersion, signal, { statusOnly: 'true' }),
      this.#list<ArmScaleSet>('Microsoft.Compute/virtualMachineScaleSets', computeVersion, signal),
      this.#list<ArmInterface>('Microsoft.Network/networkInterfaces', networkVersion, signal),
      isPublic ? this.#list<ArmPublicAddress>('Microsoft.Network/publicIPAddresses', networkVersion, signal) : [],
    ]);
    const named = scaleSets.filter(set => isUniform(set) && resources.some(resource => isNamed(set, resource)));
    const settled = await Promise.allSettled(named.map(set => this.#readInstances(set, isPublic, signal)));
    signal.throwIfAborted();
    const instances = settled.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []));
    const unread = named.filter((_, index) => settled[index]?.status === 'rejected').map(({ id }) => id);
    const inventory = joinInventory({
      machines: [...machines.map(machine => ({ machine })), ...instances.flatMap(({ machines: own }) => own)],
      ...{ states, scaleSets, unreadScaleSets: unread },
      interfaces: [...interfaces, ...instances.flatMap(({ interfaces: own }) => own)],
      publicAddresses: [...publicAddresses, ...instances.flatMap(({ publicAddresses: own }) => own)],
    });
    const failed = settled.find(result => result.status === 'rejected');
    return { inventory, ...(failed && { unread: { places: unread, error: toError(failed.reason) } }) };
  }

  /** A subscription that the credentials cannot see looks empty in lists. */
  async #verifySubscription(signal: AbortSignal): Promise<void> {
    const { subscriptionId } = this.#options;
    const url = this.#url(`/subscriptions/${subscriptionId}`, { 'api-version': '2022-12-01' });
    if ((await this.#options.api({ url }, signal)) === undefined) throw this.#unseen();
  }

  #unseen() {
    return cloudError('CloudDenied', `the credentials do not see the subscription ${this.#options.subscriptionId}`, {
      hint: 'Give them the role Reader in it, or correct spec.azure.subscriptionId.',
    });
  }

  /** Machines of uniform scale sets are no virtual machines of the subscription. A set may be deleted meanwhile. */
  async #readInstances({ id }: ArmScaleSet, isPublic: boolean, signal: AbortSignal) {
    const networkQuery = { 'api-version': scaleSetNetworkVersion };
    const [machines = [], interfaces = [], publicAddresses = []] = await Promise.all([
      this.#pages<ArmMachine>(
        `${id}/virtualMachines`,
        { 'api-version': computeVersion, $expand: 'instanceView' },
        signal,
      ),
      this.#pages<ArmInterface>(`${id}/networkInterfaces`, networkQuery, signal),
      isPublic ? this.#pages<ArmPublicAddress>(`${id}/publicipaddresses`, networkQuery, signal) : [],
    ]);
    return { machines: machines.map(machine => ({ machine, scaleSet: id })), interfaces, publicAddresses };
  }

  async #list<T>(
    type: string,
    version: string,
    signal: AbortSignal,
    query: Readonly<Record<string, string>> = {},
  ): Promise<readonly T[]> {
    const path = `/subscriptions/${this.#options.subscriptionId}/providers/${type}`;
    const items = await this.#pages<T>(path, { 'api-version': version, ...query }, signal);
    if (items === undefined) throw this.#unseen();
    return items;
  }

  /** Undefined when there is no such list. */
  async #pages<T>(path: string, query: Readonly<Record<string, string>>, signal: AbortSignal) {
    const items: T[] = [];
    let url: URL | undefined = this.#url(path, query);
    for (let count = 0; url !== undefined; count += 1) {
      if (count === maxPages) throw cloudError('CloudUnreachable', `Azure has more than ${maxPages} pages of ${path}`);
      const page = await this.#options.api({ url }, signal);
      if (page === undefined) return undefined;
      items.push(...((page['value'] ?? []) as readonly T[]));
      url = this.#nextUrl(page['nextLink']);
    }
    return items;
  }

  #url(path: string, query: Readonly<Record<string, string>>): URL {
    const url = apiUrl(this.#options.endpoint, apiHost, path);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    return url;
  }

  /** The token goes to the API only, wherever a response points. */
  #nextUrl(link: unknown): URL | undefined {
    if (typeof link !== 'string' || link === '') return undefined;
    const url = new URL(link, this.#url('/', {}));
    if (url.origin === this.#url('/', {}).origin) return url;
    throw cloudError('CloudUnreachable', `Azure names a next page on another host, ${url.host}`);
  }
}

const nothing: AzureLists = {
  ...{ machines: [], states: [], scaleSets: [], unreadScaleSets: [], interfaces: [], publicAddresses: [] },
};

/** Instances of flexible scale sets are listed with the virtual machines. */
const isUniform = ({ properties }: ArmScaleSet): boolean => properties?.orchestrationMode !== 'Flexible';

function isNamed(set: ArmScaleSet, spec: Spec): boolean {
  if (spec.ids !== undefined) return spec.ids.some(id => keyOfId(id) === keyOfId(set.id));
  const tags = tagsOf(set);
  return Object.entries(tagsOf(spec)).every(([name, value]) => tags[name] === value);
}
