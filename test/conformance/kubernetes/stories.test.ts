import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { playStory } from './test-stage.ts';

const stories = globSync('*.txt', { cwd: join(import.meta.dirname, 'stories') })
  .map(file => basename(file, '.txt'))
  .sort();

describe('kubectl, where it writes in two logical clusters at once', () => {
  let landscape: TestLandscape;
  before(async () => {
    landscape = await startTestLandscape();
  });
  after(() => landscape[Symbol.asyncDispose]());

  for (const story of stories) test(story, () => playStory(landscape, story));
});
