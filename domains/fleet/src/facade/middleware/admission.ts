import type { Logger } from '@chandlery/platform';
import { checkLists } from '../../actions/check-lists.ts';
import type { FleetActions, FleetCaller } from '../../actions/fleet-actions.ts';
import { type FleetError, fleetError } from '../../errors.ts';
import { fleetClusterName } from '../../kinds/index.ts';
import type { TenantOrganisations } from '../../ports.ts';
import type { ClusterRow } from '../../registry/fleet-registry.ts';
import type { Method, ProductCall } from '../handlers/call.ts';
import type { FacadeTables } from '../handlers/facade-deps.ts';
import { type Identity, unauthenticated } from './bearer.ts';
import { agentClusterOf, callerOf, rolesOf, senderName } from './claims.ts';
import { callerOfMember } from './member.ts';
import type { TermsCheck } from './terms.ts';

/** What decides whether a request is admitted. */
export interface AdmissionDeps {
  readonly tables: Pick<FacadeTables, 'clusters'>;
  readonly actions: Pick<FleetActions, 'userSeen'>;
  readonly terms: Pick<TermsCheck, 'check'>;
  readonly tenants: Pick<TenantOrganisations, 'organisationOf'>;
  /** The landscape's own issuer of tokens: the issuer where a product names none, and always one of agents. */
  readonly ownIssuer: string;
  readonly logger: Logger;
}

/** How users are admitted to a route. */
export interface UserRules {
  /** Tokens of agents' issuer are accepted too. Default false. */
  readonly acceptsAgentIssuer?: boolean;
  /** The handler deals with users on the deny list itself. Default false. */
  readonly admitsDenied?: boolean;
  /** Users must have accepted the terms. Default false. */
  readonly needsTerms?: boolean;
}

const agentRole = 'fleetshard_operator';
const adminRoles: Readonly<Record<string, readonly Method[]>> = {
  'fleet-manager-admin-read': ['GET'],
  'fleet-manager-admin-write': ['GET', 'PATCH'],
  'fleet-manager-admin-full': ['GET', 'PATCH', 'DELETE'],
};

/** Decides who may use which routes, in the order of the reference: issuer, organisation, lists, terms. */
export class Admission {
  readonly #deps: AdmissionDeps;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  /** Returns the user who calls. Throws errors 15, 4, 18, 12 and 503. */
  async admitUser(call: ProductCall, identity: Identity, rules: UserRules): Promise<FleetCaller> {
    const { configuration } = call.product;
    if (identity.type === 'operator') throw unauthenticated("the administrator's token belongs to no organisation");
    const caller =
      identity.type === 'member'
        ? await callerOfMember(identity, call, this.#deps.tenants)
        : this.#callerOfToken(call, identity, rules);
    checkLists(configuration, caller, rules);
    await this.#deps.actions.userSeen(caller);
    const { enableTermsAcceptance } = configuration.settings;
    if (rules.needsTerms === true && enableTermsAcceptance && configuration.terms !== undefined)
      await this.#deps.terms.check(configuration.terms, caller.username);
    return caller;
  }

  #callerOfToken(
    { product }: ProductCall,
    identity: Extract<Identity, { readonly type: 'verified' }>,
    rules: UserRules,
  ): FleetCaller {
    const { userIssuer, agentIssuer } = product.configuration.tokens;
    const issuers = rules.acceptsAgentIssuer === true ? [userIssuer, agentIssuer] : [userIssuer];
    if (!this.#isFrom(identity, issuers))
      throw unauthenticated('Bearer token was issued by an issuer that is not accepted here');
    return callerOf(identity.claims);
  }

  /** Throws error 7, whatever the reason, which is logged. */
  admitAdmin(call: ProductCall, identity: Identity): void {
    if (identity.type === 'operator') return;
    if (identity.type === 'member') throw this.#hide(call, identity, 'the user is no operator of the fleet');
    const { adminIssuer } = call.product.configuration.tokens;
    if (!this.#isFrom(identity, [adminIssuer])) throw this.#hide(call, identity, 'the issuer is not that of operators');
    const roles = rolesOf(identity.claims);
    const isPermitted = Object.entries(adminRoles).some(
      ([role, methods]) => roles.has(role) && methods.includes(call.method),
    );
    if (!isPermitted) throw this.#hide(call, identity, `no role permits ${call.method}`);
  }

  /** Returns the cluster whose agent calls. Throws error 7, whatever the reason, which is logged. */
  admitAgent(call: ProductCall, identity: Identity): ClusterRow {
    if (identity.type !== 'verified') throw this.#hide(call, identity, 'a user of the landscape is no agent');
    const { agentIssuer } = call.product.configuration.tokens;
    if (!this.#isFrom(identity, [agentIssuer, this.#deps.ownIssuer]))
      throw this.#hide(call, identity, 'the issuer is not that of agents');
    if (!rolesOf(identity.claims).has(agentRole)) throw this.#hide(call, identity, `role ${agentRole} is missing`);
    const { id = '' } = call.params;
    if (agentClusterOf(identity.claims) !== id) throw this.#hide(call, identity, 'it is the agent of another cluster');
    const cluster = this.#deps.tables.clusters.get(fleetClusterName(call.product.row.id, id));
    if (cluster === undefined) throw this.#hide(call, identity, `there is no cluster '${id}'`);
    return cluster;
  }

  #isFrom({ issuer }: { readonly issuer: string }, accepted: readonly (string | undefined)[]): boolean {
    return accepted.some(configured => (configured ?? this.#deps.ownIssuer) === issuer);
  }

  #hide({ operationId, method }: ProductCall, identity: Identity, reason: string): FleetError {
    const user = senderName(identity);
    this.#deps.logger.warn('a request was rejected as not found', { operation: operationId, method, user, reason });
    return fleetError(7);
  }
}
