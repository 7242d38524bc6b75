import type pg from 'pg';
import type { sizes } from './kinds.ts';
import { isMadeOf } from './passwords.ts';

/** A database and its owner, as they should be. */
export interface DesiredDatabase {
  /** Of both the database and its role. */
  readonly name: string;
  readonly password: string;
  readonly size: (typeof sizes)[keyof typeof sizes];
  /** Says in the database whose it is. */
  readonly mark: string;
}

/** The observed state of a database and its role. */
export interface ObservedDatabase {
  readonly serverVersion: string;
  readonly role?: {
    readonly canLogin: boolean;
    /** Whether it may do more than own its database. */
    readonly isPrivileged: boolean;
    readonly connections: number;
    readonly settings: readonly string[];
    /** What is stored of its password. */
    readonly stored: string;
  };
  readonly database?: { readonly owner: string; readonly isPublic: boolean; readonly mark: string };
  /** The server's own databases, which all roles may connect to. */
  readonly open: readonly string[];
}

/** The differences from the desired state, one sentence each. Pure. */
export const differencesOf = (observed: ObservedDatabase, desired: DesiredDatabase): string[] => [
  ...roleDifferences(observed.role, desired),
  ...databaseDifferences(observed.database, desired),
  // A new database needs no message.
  ...(observed.database === undefined ? [] : observed.open).map(
    name => `The server's database "${name}" is open to tenants.`,
  ),
];

function roleDifferences(role: ObservedDatabase['role'], { name, password, size }: DesiredDatabase): string[] {
  const subject = `The role "${name}"`;
  if (role === undefined) return [`${subject} is missing.`];
  const isSized = role.connections === size.connections && role.settings.includes(`work_mem=${size.workMemory}`);
  return [
    ...(role.canLogin ? [] : [`${subject} cannot log in.`]),
    ...(role.isPrivileged ? [`${subject} may do more than own its database.`] : []),
    ...(isMadeOf(role.stored, password) ? [] : [`${subject} has another password.`]),
    ...(isSized ? [] : [`${subject} has the limits of another size.`]),
  ];
}

function databaseDifferences(database: ObservedDatabase['database'], { name, mark }: DesiredDatabase): string[] {
  const subject = `The database "${name}"`;
  if (database === undefined) return [`${subject} is missing.`];
  return [
    ...(database.owner === name ? [] : [`${subject} belongs to "${database.owner}".`]),
    ...(database.isPublic ? [`${subject} is open to all roles.`] : []),
    ...(database.mark === mark ? [] : [`${subject} does not say whose it is.`]),
  ];
}

/** Looks at a database and its role. */
export async function observeDatabase(
  client: pg.Client,
  { name }: Pick<DesiredDatabase, 'name'>,
): Promise<ObservedDatabase> {
  const { rows: versions } = await client.query<{ server_version: string }>('SHOW server_version');
  const { rows: roles } = await client.query<NonNullable<ObservedDatabase['role']>>(
    `SELECT a.rolcanlogin AS "canLogin", a.rolconnlimit AS connections, coalesce(a.rolpassword, '') AS stored,
            a.rolsuper OR a.rolcreatedb OR a.rolcreaterole OR a.rolreplication OR a.rolbypassrls AS "isPrivileged",
            coalesce(r.rolconfig, '{}') AS settings
       FROM pg_authid a JOIN pg_roles r ON r.oid = a.oid WHERE a.rolname = $1`,
    [name],
  );
  const { rows: databases } = await client.query<NonNullable<ObservedDatabase['database']>>(
    `SELECT pg_get_userbyid(datdba) AS owner, has_database_privilege('public', oid, 'CONNECT') AS "isPublic",
            coalesce(shobj_description(oid, 'pg_database'), '') AS mark FROM pg_database WHERE datname = $1`,
    [name],
  );
  const { rows: open } = await client.query<{ name: string }>(
    `SELECT datname AS name FROM pg_database WHERE datname IN ('postgres', 'template1')
        AND has_database_privilege('public', oid, 'CONNECT') ORDER BY datname`,
  );
  const [role, database] = [roles[0], databases[0]];
  return {
    serverVersion: versions[0]?.server_version ?? 'unknown',
    ...(role && { role }),
    ...(database && { database }),
    open: open.map(row => row.name),
  };
}

/** Opens the tenant's own database as administrator. */
export type OpenDatabase = (act: (client: pg.Client) => Promise<void>) => Promise<void>;

/** Makes the role and the database so; may be run again after a crash anywhere in between. */
export async function ensureDatabase(
  client: pg.Client,
  observed: ObservedDatabase,
  desired: DesiredDatabase,
  open: OpenDatabase,
): Promise<void> {
  const name = client.escapeIdentifier(desired.name);
  for (const own of observed.open) {
    await client.query(`REVOKE CONNECT ON DATABASE ${client.escapeIdentifier(own)} FROM PUBLIC`);
  }
  if (observed.role === undefined) await client.query(`CREATE ROLE ${name}`);
  // The tables of a dropped role have another owner now. They are reassigned before the role may log in.
  if (observed.database !== undefined && observed.role?.canLogin !== true)
    await open(own => returnTables(own, desired.name));
  await allowLogin(client, desired);
  if (observed.database === undefined) await client.query(`CREATE DATABASE ${name} OWNER ${name}`);
  await client.query(`ALTER DATABASE ${name} OWNER TO ${name}`);
  await client.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
  await markDatabase(client, desired.name, desired.mark);
}

const ownerOnly = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';

async function allowLogin(client: pg.Client, { name, password, size }: DesiredDatabase): Promise<void> {
  const [role, secret] = [client.escapeIdentifier(name), client.escapeLiteral(password)];
  await client.query(`ALTER ROLE ${role} SET work_mem = ${client.escapeLiteral(size.workMemory)}`);
  await client.query(`ALTER ROLE ${role} WITH ${ownerOnly} PASSWORD ${secret} CONNECTION LIMIT ${size.connections}`);
}

/** Makes the role the owner of the schemas, tables and views in its database that are the administrator's. */
async function returnTables(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `SELECT format('ALTER SCHEMA %I OWNER TO %I', nspname, $1::text) AS statement FROM pg_namespace
      WHERE nspowner = current_user::regrole AND nspname !~ '^(pg_|information_schema$)'
     UNION ALL
     SELECT format('ALTER TABLE %I.%I OWNER TO %I', nspname, relname, $1::text)
       FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
      WHERE relowner = current_user::regrole AND relkind IN ('r', 'p', 'v', 'm', 'f')
        AND nspname !~ '^(pg_|information_schema$)'
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')`,
    [role],
  );
  for (const { statement } of rows) await client.query(statement);
}

/** Says in the database whose it is; an empty mark takes that back. */
export async function markDatabase(client: pg.Client, name: string, mark: string): Promise<void> {
  const value = mark === '' ? 'NULL' : client.escapeLiteral(mark);
  await client.query(`COMMENT ON DATABASE ${client.escapeIdentifier(name)} IS ${value}`);
}

/** Drops the database and the role, and terminates connections. */
export async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  await client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(name)} WITH (FORCE)`);
  await client.query(`DROP ROLE IF EXISTS ${client.escapeIdentifier(name)}`);
}
