import type { FleetCaller } from '../../actions/fleet-actions.ts';
import { fleetError } from '../../errors.ts';
import type { TenantOrganisations } from '../../ports.ts';
import type { Method, ProductCall } from '../handlers/call.ts';
import type { LandscapeMember, MemberVerb } from './bearer.ts';

const verbs: Readonly<Record<Method, MemberVerb>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

/**
 * The user of an organisation that a user of the landscape is: the organisation of a tenant in which their roles allow
 * to do the same with service instances. With several, `organisation` of the query says which. Throws errors 11 and 21.
 */
export async function callerOfMember(
  { username, tenants }: LandscapeMember,
  { method, query }: Pick<ProductCall, 'method' | 'query'>,
  organisations: Pick<TenantOrganisations, 'organisationOf'>,
): Promise<FleetCaller> {
  const verb = verbs[method];
  const organisationsOf = async (wanted: MemberVerb): Promise<readonly string[]> => [
    ...new Set(await Promise.all(tenants(wanted).map(tenant => organisations.organisationOf(tenant)))),
  ];
  const possible = await organisationsOf(verb);
  const organisation = chosenOf(possible, query.get('organisation') ?? undefined, verb);
  const isOrganisationAdmin = verb !== 'get' && (await organisationsOf('delete')).includes(organisation);
  return { username, organisation, accountId: undefined, isOrganisationAdmin };
}

function chosenOf(organisations: readonly string[], named: string | undefined, verb: MemberVerb): string {
  const [only, ...others] = organisations;
  if (only === undefined) throw fleetError(11, `Your roles let you ${verb} service instances of no tenant`);
  if (named === undefined && others.length === 0) return only;
  if (named === undefined)
    throw fleetError(21, 'You belong to several organisations: name one with "organisation" in the query');
  if (organisations.includes(named)) return named;
  throw fleetError(11, `Your roles do not let you ${verb} service instances of organisation '${named}'`);
}
