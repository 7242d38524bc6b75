import type { PlatformRow } from '../rows.ts';
import { optionalFlag, optionalText, requiredName, requiredText } from './body-fields.ts';
import { defineResource, nameField, type Viewed, viewOf } from './resource.ts';
import { anyObject, flag, text } from './schemas.ts';

type Platform = Viewed<PlatformRow>;

/** Platforms. Their credentials are shown once, by the request that makes them. */
export const platformResource = defineResource<Platform>({
  accepts: { create: 'with-id', patch: true },
  extraSchemas: { credentials: anyObject },
  fields: {
    name: nameField({ isRequired: true, key: 'name', parse: requiredName, parsePatch: requiredText }),
    type: {
      type: 'string',
      read: ({ spec }) => spec.type,
      schema: text,
      input: { isRequired: true, key: 'type', parse: requiredText },
    },
    description: {
      type: 'string',
      read: ({ spec }) => spec.description ?? '',
      schema: text,
      input: { key: 'description', parse: optionalText },
    },
    suspended: {
      type: 'boolean',
      read: ({ spec }) => spec.suspended ?? false,
      schema: flag,
      input: { key: 'suspended', parse: optionalFlag },
    },
    technical: {
      type: 'boolean',
      read: ({ spec }) => spec.technical,
      schema: flag,
      query: { read: ({ spec }) => spec.technical ?? false },
      isForOperators: true,
      input: { key: 'technical', parse: optionalFlag, parsePatch: 'ignored' },
    },
    last_active: { type: 'date', read: ({ status }) => status.lastActiveAt, isShown: false, isForOperators: true },
    version: { type: 'string', read: ({ status }) => status.agentVersion, isShown: false, isForOperators: true },
    username: {
      type: 'string',
      read: ({ status }) => status.credentials?.username,
      isShown: false,
      isForOperators: true,
    },
    credentials_active: {
      type: 'boolean',
      read: ({ status }) => status.credentials?.isActive ?? false,
      isShown: false,
      isForOperators: true,
    },
  },
});

/** A platform as the REST API shows it. */
export const platformView = viewOf(platformResource);
