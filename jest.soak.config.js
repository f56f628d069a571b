import base from './jest.config.js';

/** Minutes or hours of load and failures, one file at a time: `npm run test:soak -- <pattern>`. */
export default {
  ...base,
  testMatch: ['<rootDir>/tests/soak/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 3_600_000,
  maxWorkers: 1,
};
