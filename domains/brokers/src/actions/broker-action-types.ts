import type { BrokerRow, RegistryWrite } from '../model/rows.ts';
import type { BrokerCredentials } from '../ports.ts';

type Spec = BrokerRow['spec'];
type Labels = Readonly<Record<string, readonly string[]>>;

/** A broker that is to be registered. */
export interface BrokerRegistration
  extends Pick<
    Spec,
    | 'url'
    | 'internal'
    | 'description'
    | 'useServerCertificate'
    | 'caBundle'
    | 'insecureSkipVerify'
    | 'apiVersion'
    | 'limits'
  > {
  readonly tenant: string;
  /** Default: a new one. */
  readonly id?: string;
  readonly name: string;
  readonly labels?: Labels;
  /** Empty for an internal broker. */
  readonly credentials: BrokerCredentials;
  readonly correlationId: string;
}

/** What changes of a broker. What is not given stays; null clears. */
export interface BrokerChange {
  readonly name?: string;
  readonly url?: string;
  readonly description?: string | null;
  /** The new labels, or how they come from those that there are. */
  readonly labels?: Labels | ((current: Labels) => Labels);
  /** All of them: they replace what there was. */
  readonly credentials?: BrokerCredentials;
  readonly useServerCertificate?: boolean | null;
  readonly caBundle?: string | null;
  readonly insecureSkipVerify?: boolean | null;
  readonly apiVersion?: string | null;
  readonly limits?: NonNullable<Spec['limits']> | null;
  readonly correlationId: string;
  /** The last state that platforms were notified of, if the row has changed since. Default: the row. */
  readonly before?: BrokerRow;
}

/**
 * The actions on brokers. Each is one commit with the catalog, the notifications and the `extra` writes of the caller
 * (its operation); after a conflict the action decides again. All throw `SmError`s.
 */
export interface BrokerActions {
  /** Fetches the catalog and makes the broker. Nothing is left behind when that fails. */
  register(registration: BrokerRegistration, extra?: readonly RegistryWrite[]): Promise<BrokerRow>;
  /**
   * Creates the row without calling the broker: not ready and without a catalog. The broker controller continues the
   * registration and ends the operation of type `create` among `extra`, so a restart does not lose it.
   */
  begin(registration: BrokerRegistration, extra?: readonly RegistryWrite[]): Promise<BrokerRow>;
  /** Changes the broker and fetches its catalog, whatever changed. New credentials are tried before they are kept. */
  update(broker: BrokerRow, change: BrokerChange, extra?: readonly RegistryWrite[]): Promise<BrokerRow>;
  /** Ends the broker with all that hangs on it. Throws `ExistingReferenceEntity` when one of its plans has instances. */
  remove(
    broker: BrokerRow,
    extra?: readonly RegistryWrite[],
    options?: { readonly correlationId?: string },
  ): Promise<void>;
}
