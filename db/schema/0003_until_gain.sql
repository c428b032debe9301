-- SPDX-License-Identifier: Apache-2.0
-- The share of the best that a run was to end at: when its strategy expected less of all that was left. NULL: it
-- was not asked for, or by a program that kept it in the command line alone.
ALTER TABLE runs ADD COLUMN until_gain REAL CHECK (until_gain > 0 AND until_gain < 1);
