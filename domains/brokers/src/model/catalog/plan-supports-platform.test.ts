import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSupportsPlatform } from './plan-supports-platform.ts';

const cf = { id: 'cf-1', spec: { name: 'eu', type: 'cloudfoundry' } };
const nameless = { id: 'eu', spec: { type: 'kubernetes' } };
const own = { id: 'service-manager', spec: { name: 'service-manager', type: 'service-manager' } };

const cases = [
  { why: 'no metadata supports all', metadata: undefined, platform: cf, expected: true },
  { why: 'an empty list supports all', metadata: { supportedPlatforms: [] }, platform: cf, expected: true },
  { why: 'a type that is listed', metadata: { supportedPlatforms: ['cloudfoundry'] }, platform: cf, expected: true },
  { why: 'a type that is not listed', metadata: { supportedPlatforms: ['kubernetes'] }, platform: cf, expected: false },
  { why: 'a name that is listed', metadata: { supportedPlatformNames: ['eu'] }, platform: cf, expected: true },
  { why: 'a name that is not listed', metadata: { supportedPlatformNames: ['us'] }, platform: cf, expected: false },
  { why: 'a name that is excluded', metadata: { excludedPlatformNames: ['eu'] }, platform: cf, expected: false },
  { why: 'a name that is not excluded', metadata: { excludedPlatformNames: ['us'] }, platform: cf, expected: true },
  {
    why: 'without a name the id is the name',
    metadata: { supportedPlatformNames: ['eu'] },
    platform: nameless,
    expected: true,
  },
  { why: 'the own platform by an alias', metadata: { supportedPlatforms: ['sapcp'] }, platform: own, expected: true },
  {
    why: 'another platform not by the alias',
    metadata: { supportedPlatforms: ['sapcp'] },
    platform: cf,
    expected: false,
  },
] as const;

for (const { why, metadata, platform, expected } of cases) {
  test(`a plan and a platform: ${why}`, () => {
    const spec = {
      brokerId: 'b',
      offeringId: 'o',
      catalogId: 'c',
      catalogName: 'n',
      name: 'n',
      ...(metadata && { metadata }),
    };
    assert.equal(planSupportsPlatform({ spec }, platform, ['sapcp']), expected);
  });
}
