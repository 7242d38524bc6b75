/** Objects of Azure Resource Manager, as far as they are read. */
interface ArmObject<Properties> {
  readonly id: string;
  readonly location?: string;
  readonly zones?: readonly string[];
  readonly tags?: Readonly<Record<string, string>>;
  readonly properties?: Properties;
}

interface ArmReference {
  readonly id?: string;
}

interface ArmInstanceView {
  readonly statuses?: readonly { readonly code?: string }[];
  /** By the extension "Application Health". */
  readonly vmHealth?: { readonly status?: { readonly code?: string } };
}

/** A virtual machine, or an instance of a scale set. */
export type ArmMachine = ArmObject<{
  readonly provisioningState?: string;
  readonly virtualMachineScaleSet?: ArmReference;
  readonly instanceView?: ArmInstanceView;
}>;

export type ArmScaleSet = ArmObject<{ readonly orchestrationMode?: string }>;

export type ArmInterface = ArmObject<{
  readonly primary?: boolean;
  readonly virtualMachine?: ArmReference;
  readonly ipConfigurations?: readonly {
    readonly properties?: {
      readonly primary?: boolean;
      readonly privateIPAddress?: string;
      readonly privateIPAddressVersion?: string;
      readonly publicIPAddress?: ArmReference & { readonly properties?: { readonly ipAddress?: string } };
    };
  }[];
}>;

export type ArmPublicAddress = ArmObject<{ readonly ipAddress?: string }>;

/** A machine with its addresses. */
export interface AzureMachine {
  /** In lower case: ids of Azure are compared without case. */
  readonly key: string;
  readonly id: string;
  readonly region: string;
  readonly zone: string | undefined;
  /** Resource id of its scale set, in lower case. */
  readonly scaleSet: string | undefined;
  /** With names in lower case. */
  readonly tags: Tags;
  /** `running`, `starting`, `stopping`, `stopped`, `deallocating`, `deallocated`; empty: not known. */
  readonly power: string;
  readonly isDeleting: boolean;
  /** `healthy`, `unhealthy`, `initializing`, `unknown`; empty: nothing reports it. */
  readonly health: string;
  readonly privateIp: string | undefined;
  readonly publicIp: string | undefined;
  readonly ipv6: string | undefined;
}

/** What a poll of a subscription reads. */
export interface AzureInventory {
  readonly machines: readonly AzureMachine[];
  /** In lower case, with their tags. */
  readonly scaleSets: ReadonlyMap<string, Tags>;
  /** In lower case: scale sets whose instances could not be read. */
  readonly unreadScaleSets: readonly string[];
}

/** What was listed of a subscription; machines of uniform scale sets name their set. */
export interface AzureLists {
  readonly machines: readonly { readonly machine: ArmMachine; readonly scaleSet?: string }[];
  /** Run-time states, by machine. */
  readonly states: readonly ArmMachine[];
  readonly scaleSets: readonly ArmScaleSet[];
  /** Ids of those whose instances could not be read. */
  readonly unreadScaleSets: readonly string[];
  readonly interfaces: readonly ArmInterface[];
  readonly publicAddresses: readonly ArmPublicAddress[];
}

export const keyOfId = (id: string): string => id.toLowerCase();

type Tags = Readonly<Record<string, string>>;

/** Names of tags are compared without case, their values with it. */
export const tagsOf = ({ tags = {} }: { readonly tags?: Tags | undefined }): Tags =>
  Object.fromEntries(Object.entries(tags).map(([name, value]) => [name.toLowerCase(), value]));

/** Joins machines with their states, network interfaces and public addresses. */
export function joinInventory(lists: AzureLists): AzureInventory {
  const states = new Map(lists.states.map(({ id, properties }) => [keyOfId(id), properties?.instanceView]));
  const publicIps = new Map(lists.publicAddresses.map(({ id, properties }) => [keyOfId(id), properties?.ipAddress]));
  const interfaces = Map.groupBy(lists.interfaces, ({ properties }) => keyOfId(properties?.virtualMachine?.id ?? ''));
  const machines = lists.machines.map(({ machine, scaleSet }) => {
    const key = keyOfId(machine.id);
    const view = machine.properties?.instanceView ?? states.get(key);
    const own = scaleSet ?? machine.properties?.virtualMachineScaleSet?.id;
    return {
      ...{ key, id: machine.id, region: machine.location ?? '', zone: machine.zones?.[0], tags: tagsOf(machine) },
      scaleSet: own === undefined ? undefined : keyOfId(own),
      ...stateOf(machine, view),
      ...addressesOf(interfaces.get(key) ?? [], publicIps),
    };
  });
  return {
    machines,
    scaleSets: new Map(lists.scaleSets.map(set => [keyOfId(set.id), tagsOf(set)])),
    unreadScaleSets: lists.unreadScaleSets.map(keyOfId),
  };
}

function stateOf({ properties }: ArmMachine, view: ArmInstanceView | undefined) {
  const codes = (view?.statuses ?? []).map(({ code = '' }) => code);
  return {
    power: lastPart(codes.find(code => code.startsWith('PowerState/'))),
    isDeleting: properties?.provisioningState === 'Deleting',
    health: lastPart(view?.vmHealth?.status?.code),
  };
}

/** `running` of `PowerState/running`. */
const lastPart = (code = ''): string => code.slice(code.lastIndexOf('/') + 1).toLowerCase();

/** Those of the primary configuration of the primary interface come first. */
function addressesOf(interfaces: readonly ArmInterface[], publicIps: ReadonlyMap<string, string | undefined>) {
  const configurations = interfaces
    .toSorted(primaryFirst)
    .flatMap(({ properties }) => (properties?.ipConfigurations ?? []).toSorted(primaryFirst))
    .map(({ properties = {} }) => properties);
  const ofVersion = (version: string) =>
    configurations
      .filter(({ privateIPAddressVersion = 'IPv4' }) => privateIPAddressVersion === version)
      .find(({ privateIPAddress }) => privateIPAddress)?.privateIPAddress;
  const publicIp = configurations
    .flatMap(({ publicIPAddress }) => publicIPAddress ?? [])
    .map(({ id, properties }) => properties?.ipAddress ?? publicIps.get(keyOfId(id ?? '')))
    .find(address => address);
  return { privateIp: ofVersion('IPv4'), ipv6: ofVersion('IPv6'), publicIp };
}

interface MayBePrimary {
  readonly properties?: { readonly primary?: boolean };
}

const primaryFirst = (a: MayBePrimary, b: MayBePrimary): number =>
  Number(b.properties?.primary ?? false) - Number(a.properties?.primary ?? false);
