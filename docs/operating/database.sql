-- The role, the database and the schema of payctl, made by an administrator: psql --file database.sql
-- The password is in the variable PAYCTL_PASSWORD. \getenv needs psql 15.
\set ON_ERROR_STOP on
\getenv password PAYCTL_PASSWORD
SET log_statement = none;
CREATE ROLE payctl LOGIN PASSWORD :'password';
CREATE DATABASE payctl;
REVOKE ALL ON DATABASE payctl FROM PUBLIC;
GRANT CONNECT ON DATABASE payctl TO payctl;
\connect payctl
CREATE SCHEMA payctl AUTHORIZATION payctl;
